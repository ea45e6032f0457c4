import type { Family } from "@pt2/cli";
import { color } from "../page/theme.ts";

/** The colors of a theme. */
export interface Palette {
  readonly families: ReadonlyMap<Family | "group", { readonly fill: string; readonly stroke: string }>;
  readonly text: string;
  readonly faint: string;
  readonly line: string;
  readonly accent: string;
}

const FAMILIES = [
  "input",
  "output",
  "matrix",
  "norm",
  "pointwise",
  "reduce",
  "shape",
  "size",
  "control",
  "other",
  "group",
] as const;

/** Reads the colors from the style sheet. */
export function palette(): Palette {
  const families = FAMILIES.map(
    (family) => [family, { fill: color(`--${family}-fill`), stroke: color(`--${family}-line`) }] as const,
  );
  return {
    families: new Map(families),
    text: color("--ink"),
    faint: color("--ink-soft"),
    line: color("--edge"),
    accent: color("--accent"),
  };
}
