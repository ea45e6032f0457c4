import { bytesText, countText, plural, type WeightCount } from "@pt2/cli";
import { el } from "../page/dom.ts";
import type { ModelDetails } from "./details.ts";

/** Creates a row of facts: the file's producer and the model's size. */
export function factsOf({ file, report }: ModelDetails): HTMLElement {
  const parameters = report.weights.filter(({ kind }) => kind === "parameter");
  const weightBytes = total(report.weights, "bytes");
  const { generation, hasAotInductor } = file.archive;
  return el(
    "dl",
    { class: "tiles" },
    ...tile("Producer", `torch ${report.torchVersion}`, `schema ${report.schemaVersion}, ${generation} archive`),
    ...tile(
      "Graph",
      plural(report.nodes, "node"),
      `${plural(report.ops.length, "kind")}, ${dialectText(report.dialect)}`,
    ),
    ...tile(
      "Parameters",
      countText(total(parameters, "elements")),
      `${bytesText(total(parameters, "bytes"))} in ${plural(total(parameters, "tensors"), "tensor")}`,
    ),
    ...tile(
      "File",
      bytesText(file.source.size),
      hasAotInductor ? "with AOTInductor code, not used here" : `${bytesText(weightBytes)} of it weights`,
    ),
  );
}

function tile(name: string, value: string, note: string): readonly HTMLElement[] {
  return [el("div", {}, el("dt", {}, name), el("dd", { class: "value" }, value), el("dd", { class: "note" }, note))];
}

function dialectText(dialect: string): string {
  return dialect === "TRAINING" ? "training IR" : `${dialect} IR`;
}

function total(counts: readonly WeightCount[], of: "tensors" | "elements" | "bytes"): number {
  return counts.reduce((sum, count) => sum + count[of], 0);
}
