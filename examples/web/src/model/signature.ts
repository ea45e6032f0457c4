import { type ModelReport, rangeText } from "@pt2/cli";
import { describeType, type LeafInfo } from "@pt2/runtime";
import { el } from "../page/dom.ts";
import { table } from "../page/table.ts";

/** The number of rows shown before the user expands the table. */
const SHOWN = 12;

/** What goes in and comes out, with the sizes that may vary. */
export function signatureOf({ inputs, outputs, ranges, mutated }: ModelReport): HTMLElement {
  const leaves = (title: string, infos: readonly LeafInfo[]): readonly HTMLElement[] => [
    el("h3", {}, title),
    infos.length === 0
      ? el("p", { class: "note" }, "None")
      : table({
          caption: title,
          columns: ["Name", "Type"],
          most: SHOWN,
          rows: infos.map(({ name, type }) => [el("code", {}, name), el("code", {}, describeType(type))]),
        }),
  ];
  const sizes = [...ranges].map(([symbol, range]) => [el("code", {}, symbol), rangeText(range)]);
  return el(
    "div",
    {},
    ...leaves("Inputs", inputs),
    ...leaves("Outputs", outputs),
    ...(sizes.length === 0
      ? []
      : [el("h3", {}, "Sizes that vary"), table({ caption: "Sizes", columns: ["Symbol", "Range"], rows: sizes })]),
    mutated.length === 0
      ? null
      : el("p", { class: "note" }, `Every call writes to ${mutated.join(", ")}: the model keeps state between runs.`),
  );
}
