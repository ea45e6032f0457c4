import type { Family } from "@pt2/cli";
import { colour } from "../page/theme.ts";

/** The colours of a theme. */
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

/** Reads the colours from the style sheet. */
export function palette(): Palette {
  const families = FAMILIES.map(
    (family) => [family, { fill: colour(`--${family}-fill`), stroke: colour(`--${family}-line`) }] as const,
  );
  return {
    families: new Map(families),
    text: colour("--ink"),
    faint: colour("--ink-soft"),
    line: colour("--edge"),
    accent: colour("--accent"),
  };
}
