import { stripVTControlCharacters } from "node:util";

/** The alignment of a column. */
export type Align = "left" | "right";

/** Formats rows as columns. `aligns` is by column; the rest is left-aligned. */
export function table(rows: readonly (readonly string[])[], aligns: readonly Align[] = [], indent = "  "): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, c) => Math.max(...rows.map((row) => widthOf(row[c] ?? ""))));
  return rows
    .map((row) => {
      const cells = row.map((cell, c) => {
        const space = " ".repeat(widths[c]! - widthOf(cell));
        return aligns[c] === "right" ? `${space}${cell}` : `${cell}${space}`;
      });
      return `${indent}${cells.join("  ")}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}

function widthOf(cell: string): number {
  return stripVTControlCharacters(cell).length;
}
