import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** Boxes in pixels of the picture and positions of labels, in the same order. */
export interface Boxes {
  readonly boxes: readonly (readonly [number, number, number, number])[];
  readonly labels: readonly number[];
}

/** A picture that the detector was not trained on. */
export interface Scene extends Boxes {
  /** Name of the file in the folder `scenes`. */
  readonly picture: string;
  /** What PyTorch finds in it, scores of a half and more. */
  readonly found: Boxes & { readonly scores: readonly number[] };
}

/** The path of a file of this example. */
export function here(name: string): string {
  return fileURLToPath(new URL(`../${name}`, import.meta.url));
}

/** Every scene, what is in it, and what PyTorch finds. */
export const SCENES: readonly Scene[] = JSON.parse(readFileSync(here("scenes/scenes.json"), "utf8"));

/** Intersection over union. */
export function overlap(a: Boxes["boxes"][number], b: Boxes["boxes"][number]): number {
  const side = (axis: 0 | 1) => Math.max(0, Math.min(a[axis + 2]!, b[axis + 2]!) - Math.max(a[axis]!, b[axis]!));
  const area = ([x1, y1, x2, y2]: Boxes["boxes"][number]) => (x2 - x1) * (y2 - y1);
  const shared = side(0) * side(1);
  return shared / (area(a) + area(b) - shared);
}
