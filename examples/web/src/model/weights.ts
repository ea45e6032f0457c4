import { bytesText, countText, type ModelReport } from "@pt2/cli/report";
import { el } from "../page/dom.ts";
import { table } from "../page/table.ts";

const KINDS: Readonly<Record<string, string>> = {
  parameter: "Parameters",
  buffer: "Buffers",
  constant: "Constants",
};

/** Parameters, buffers and constants, by dtype. */
export function weightsOf({ weights }: ModelReport): HTMLElement {
  if (weights.length === 0) return el("p", { class: "note" }, "The program has no weights.");
  return table({
    caption: "Weights",
    columns: ["Kind", "Dtype", "Tensors", "Elements", "Bytes"],
    numeric: [2, 3, 4],
    rows: weights.map(({ kind, dtype, tensors, elements, bytes }) => [
      KINDS[kind] ?? kind,
      el("code", {}, dtype),
      countText(tensors),
      countText(elements),
      bytesText(bytes),
    ]),
  });
}
