import { summarize } from "@pt2/cli";
import type { LeafInfo, Value } from "@pt2/runtime";
import { el } from "../page/dom.ts";
import { table } from "../page/table.ts";

/** The number of rows shown before the user expands the table. */
const SHOWN = 12;

/** Shape, extremes, mean and first values of every output. */
export async function outputsTable(infos: readonly LeafInfo[], values: readonly Value[]): Promise<HTMLElement> {
  const summaries = await Promise.all(infos.map((info, i) => summarize(info, values[i] ?? null)));
  return table({
    caption: "Outputs",
    columns: ["Name", "Type", "Min", "Max", "Mean", "First values"],
    numeric: [2, 3, 4],
    most: SHOWN,
    rows: summaries.map(({ name, type, min, max, mean, head }) => [
      el("code", {}, name),
      el("code", {}, type),
      ...[min, max, mean].map(numberText),
      el("code", {}, pythonText(head.join("  "))),
    ]),
  });
}

function numberText(value: number | null): string {
  if (value === null) return "";
  return pythonText(Number.isInteger(value) ? String(value) : value.toPrecision(5));
}

/** As PyTorch prints what is not a number. */
function pythonText(text: string): string {
  return text.replaceAll("NaN", "nan").replaceAll("Infinity", "inf");
}
