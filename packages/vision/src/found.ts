import type { Tensor } from "@pt2/runtime";
import { type Box, clipped, type Placement, toSource, within } from "./geometry.ts";
import { type Mask, pasteMask } from "./mask.ts";
import type { Preset } from "./preset.ts";
import { visionError } from "./vision-errors.ts";

/** A point of something that was found, in pixels of the picture. */
export interface Keypoint {
  /** From the left border of the picture, in pixels. */
  readonly x: number;
  /** From the upper border of the picture, in pixels. */
  readonly y: number;
  /** How sure the program is of it, as it says it. */
  readonly score: number;
  /** Its name; its number where the preset has no name for it. */
  readonly name: string;
}

/** Something that was found in a picture. Positions are in pixels of that picture, from its left top corner. */
export interface Found {
  /** In the picture, at least a hundredth of a pixel wide and high. */
  readonly box: Box;
  /** How sure it is, between 0 and 1. */
  readonly score: number;
  /** The name of its class; its number where there is no name. */
  readonly label: string;
  /** The number of its class. */
  readonly index: number;
  /** Which pixels it covers, where the program tells. */
  readonly mask?: Mask;
  /** Its keypoints, where the program finds some. */
  readonly keypoints?: readonly Keypoint[];
}

/** What a detector returns: `boxes` [n, 4], `scores` [n] and `labels` [n], maybe `masks` [n, 1, m, m] and `keypoints` [n, k, 3]. */
interface Outputs {
  readonly boxes: Tensor;
  readonly scores: Tensor;
  readonly labels: Tensor;
  readonly masks?: Tensor;
  readonly keypoints?: Tensor;
  readonly keypoints_scores?: Tensor;
}

/** Checks that a program returned what a detector returns. */
export function requireOutputs(outputs: unknown): Outputs {
  const given = (typeof outputs === "object" ? outputs : null) as Readonly<Record<string, Tensor>> | null;
  const [boxes, scores, labels] = [given?.boxes, given?.scores, given?.labels];
  const count = boxes?.shape?.[0];
  const fits = [scores, labels].every((each) => each?.shape?.length === 1 && each.shape[0] === count);
  if (count !== undefined && boxes?.shape.length === 2 && boxes.shape[1] === 4 && fits) return given as never;
  throw visionError("vision.outputs", {
    what: `The program returns ${given === null ? String(outputs) : `{ ${Object.keys(given).join(", ")} }`}, not the boxes of a detector`,
    advice:
      "return a dict of `boxes` [n, 4], `scores` [n] and `labels` [n]; docs/detection.md has scripts that export such programs",
  });
}

/** A box that is narrower than this, in pixels of the picture, shows nothing of it: `min_size` of torchvision's R-CNNs. */
const LEAST_SIDE = 0.01;

/**
 * Reads what was found from the outputs of a program: what has at least this score, the surest first. Boxes are clipped to
 * the picture as torchvision does it; those that lie in the padding of a letterbox are left out.
 */
export async function readFound(
  outputs: Outputs,
  placement: Placement,
  { labels: names, keypoints: pointNames }: Pick<Preset, "labels" | "keypoints">,
  threshold: number,
): Promise<readonly Found[]> {
  const read = async (tensor: Tensor | undefined): Promise<Numbers | null> =>
    tensor === undefined ? null : ((await tensor.read()) as Numbers);
  const { boxes, scores, labels, masks, keypoints, keypoints_scores } = outputs;
  const [corners, sure, classes, shares, points, pointScores] = await Promise.all(
    [boxes, scores, labels, masks, keypoints, keypoints_scores].map(read),
  );
  const { x, y } = toSource(placement);
  const { source } = placement;
  const [across, down] = [within(source.width), within(source.height)];
  const side = masks?.shape.at(-1) ?? 0;
  const perThing = keypoints?.shape[1] ?? 0;
  const found = Array.from(sure!, (value, i): Found | null => {
    const score = Number(value);
    if (!(score >= threshold)) return null;
    const at = (corner: number): number => Number(corners![4 * i + corner]!);
    const whole: Box = [x(at(0)), y(at(1)), x(at(2)), y(at(3))];
    const box = clipped(whole, source);
    if (!(box[2] - box[0] >= LEAST_SIDE && box[3] - box[1] >= LEAST_SIDE)) return null;
    const index = Number(classes![i]!);
    const pointOf = (_: unknown, k: number): Keypoint => {
      const from = i * perThing + k;
      const [px, py, visible] = [0, 1, 2].map((part) => Number(points![3 * from + part]!)) as [number, number, number];
      return {
        x: across(x(px)),
        y: down(y(py)),
        score: Number(pointScores?.[from] ?? visible),
        name: pointNames[k] ?? String(k),
      };
    };
    return {
      ...{ box, score, label: names[index] ?? String(index), index },
      ...(shares && {
        // The frame of a mask is the box as the program gave it, also where that reaches out of the picture.
        mask: pasteMask(shares.subarray(i * side * side, (i + 1) * side * side), side, whole, source),
      }),
      ...(points && { keypoints: Array.from({ length: perThing }, pointOf) }),
    };
  });
  return found.filter((each) => each !== null).sort((one, other) => other.score - one.score);
}

interface Numbers extends ArrayLike<number | bigint>, Iterable<number | bigint> {
  subarray(start: number, end: number): ArrayLike<number>;
}
