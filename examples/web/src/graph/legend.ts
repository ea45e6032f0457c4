import type { Family } from "@pt2/cli";
import { el } from "../page/dom.ts";
import type { Layout } from "./layout.ts";

/** What the colors mean. Inputs and output have one in common. */
const NAMES: readonly (readonly [Family | "group", string])[] = [
  ["input", "inputs and outputs"],
  ["group", "modules"],
  ["matrix", "products, convolutions, attention"],
  ["norm", "normalization"],
  ["pointwise", "pointwise"],
  ["reduce", "reductions, pooling"],
  ["shape", "shapes, indexing"],
  ["size", "sizes, checks"],
  ["control", "control flow"],
  ["other", "other ops"],
];

/** The colors that a drawing has, in words. */
export function legendOf({ boxes }: Layout): readonly HTMLElement[] {
  const drawn = new Set([...boxes.values()].map(({ box }) => box.family));
  return NAMES.filter(([family]) => drawn.has(family)).map(([family, name]) => el("li", {}, swatch(family), name));
}

function swatch(family: string): HTMLElement {
  const element = el("span", { class: "swatch", "aria-hidden": "true" });
  element.style.background = `var(--${family}-fill)`;
  element.style.borderColor = `var(--${family}-line)`;
  return element;
}
