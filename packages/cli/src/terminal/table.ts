/** How a column is set. */
export type Align = "left" | "right";

/** Rows as text in columns. `aligns` is by column; the rest is left. */
export function table(rows: readonly (readonly string[])[], aligns: readonly Align[] = [], indent = "  "): string {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, c) => Math.max(...rows.map((row) => row[c]?.length ?? 0)));
  return rows
    .map((row) => {
      const cells = row.map((cell, c) => (aligns[c] === "right" ? cell.padStart(widths[c]!) : cell.padEnd(widths[c]!)));
      return `${indent}${cells.join("  ")}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}
