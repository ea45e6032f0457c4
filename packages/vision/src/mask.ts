import type { Box } from "./geometry.ts";
import type { Size } from "./pixels.ts";

/** The pixels that something covers: 1 where it does, in a part of the picture whose left top corner is at x, y. */
export interface Mask {
  /** The left border of the mask in the picture, in pixels. */
  readonly x: number;
  /** Its upper border in the picture, in pixels. */
  readonly y: number;
  /** Its width in pixels. */
  readonly width: number;
  /** Its height in pixels. */
  readonly height: number;
  /** Row by row, `width · height` numbers. */
  readonly data: Uint8Array;
}

/**
 * Resizes a mask of probabilities in the frame of a box, `side` × `side`, to the pixels of that box, as torchvision's
 * `paste_masks_in_image` does with a threshold of 0.5. What lies outside the picture is left out.
 */
export function pasteMask(shares: ArrayLike<number>, side: number, box: Box, picture: Size): Mask {
  // A border of zeros around the mask, so that interpolation reaches beyond its outermost elements.
  const grown = side + 2;
  const [x1, y1, x2, y2] = expanded(box, grown / side).map(Math.trunc) as [number, number, number, number];
  const width = Math.max(x2 - x1 + 1, 1);
  const height = Math.max(y2 - y1 + 1, 1);
  const at = (row: number, column: number): number => {
    const [r, c] = [row - 1, column - 1];
    return r < 0 || c < 0 || r >= side || c >= side ? 0 : shares[r * side + c]!;
  };
  const [left, top] = [Math.max(x1, 0), Math.max(y1, 0)];
  const covered = {
    width: Math.max(0, Math.min(x2 + 1, picture.width) - left),
    height: Math.max(0, Math.min(y2 + 1, picture.height) - top),
  };
  const columns = Array.from({ length: covered.width }, (_, i) => sample(left - x1 + i, width, grown));
  const data = new Uint8Array(covered.width * covered.height);
  for (let row = 0; row < covered.height; row++) {
    const vertical = sample(top - y1 + row, height, grown);
    for (let column = 0; column < covered.width; column++) {
      const horizontal = columns[column]!;
      const along = (r: number): number =>
        at(r, horizontal.low) * (1 - horizontal.part) + at(r, horizontal.high) * horizontal.part;
      const share = along(vertical.low) * (1 - vertical.part) + along(vertical.high) * vertical.part;
      data[row * covered.width + column] = Number(share > 0.5);
    }
  }
  return { x: left, y: top, ...covered, data };
}

/** The box about its center, larger by a factor. */
function expanded([x1, y1, x2, y2]: Box, scale: number): readonly number[] {
  const [halfWidth, halfHeight] = [((x2 - x1) / 2) * scale, ((y2 - y1) / 2) * scale];
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2];
  return [x - halfWidth, y - halfHeight, x + halfWidth, y + halfHeight];
}

/** Which two of `from` elements element `i` of `to` lies between, as `interpolate` with `align_corners=False` has it. */
function sample(
  i: number,
  to: number,
  from: number,
): { readonly low: number; readonly high: number; readonly part: number } {
  const place = Math.max(((i + 0.5) * from) / to - 0.5, 0);
  const low = Math.min(Math.floor(place), from - 1);
  return { low, high: Math.min(low + 1, from - 1), part: place - low };
}
