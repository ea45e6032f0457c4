import { bytesText, countText } from "@pt2/cli";
import { DTYPES, numel, type WeightTensor } from "@pt2/format";
import { el } from "../page/dom.ts";
import { table } from "../page/table.ts";
import type { ModelDetails } from "./details.ts";

const KINDS: Readonly<Record<string, string>> = {
  parameter: "Parameters",
  buffer: "Buffers",
  constant: "Constants",
};

/** Parameters, buffers and constants: by dtype, and each one. */
export function weightsOf({ report, weights }: ModelDetails): HTMLElement {
  if (weights.size === 0) return el("p", { class: "note" }, "The program has no weights.");
  return el(
    "div",
    {},
    table({
      caption: "Weights",
      columns: ["Kind", "Dtype", "Tensors", "Elements", "Bytes"],
      numeric: [2, 3, 4],
      rows: report.weights.map(({ kind, dtype, tensors, elements, bytes }) => [
        KINDS[kind] ?? kind,
        el("code", {}, dtype),
        countText(tensors),
        countText(elements),
        bytesText(bytes),
      ]),
    }),
    each([...weights.values()]),
  );
}

/** Creates the full list when the user opens it, since it may have thousands of rows. */
function each(weights: readonly WeightTensor[]): HTMLElement {
  const list = el("details", {}, el("summary", {}, `Every tensor (${countText(weights.length)})`));
  const fill = (): void => {
    const rows = weights.map(({ name, dtype, shape }) => [
      el("code", {}, name),
      el("code", {}, `${dtype} [${shape.join(", ")}]`),
      bytesText(numel(shape) * DTYPES[dtype].itemsize),
    ]);
    const columns = ["Name", "Type", "Bytes"];
    list.append(
      el(
        "div",
        { class: "long", tabindex: 0, role: "region", "aria-label": "Every tensor" },
        table({ caption: "All weights", columns, rows, numeric: [2] }),
      ),
    );
  };
  list.addEventListener("toggle", fill, { once: true });
  return list;
}
