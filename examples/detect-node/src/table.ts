import type { Found } from "@pt2/vision/node";

const COLUMNS = ["score", "left", "top", "right", "bottom"] as const;

/** What was found as lines of text: label, score, and the box in pixels of the picture. */
export function tableOf(found: readonly Found[]): readonly string[] {
  if (found.length === 0) return ["nothing found"];
  const widest = Math.max(...found.map(({ label }) => label.length));
  const rows = found.map(({ label, score, box }) => [
    label,
    `${(100 * score).toFixed(1)} %`,
    ...box.map((side) => String(Math.round(side))),
  ]);
  return [["", ...COLUMNS], ...rows].map(([label, ...cells]) =>
    [label!.padEnd(widest), ...cells.map((cell) => cell.padStart(7))].join(" "),
  );
}
