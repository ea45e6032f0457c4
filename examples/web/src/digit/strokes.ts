/** A place on the pad, both coordinates from 0 to 1, down and to the right. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** A line that the pen drew without leaving the pad. */
export type Stroke = readonly Point[];

/** A side of the images that the network takes. */
export const SIDE = 8;

/** The network's images were made of bitmaps of this size, four pixels to one. */
const FINE = 32;
/** How wide a pen was on those bitmaps. */
const PEN = 5;
/** A tiny mark is not blown up to a whole digit. */
const LEAST_EXTENT = 0.15;

/**
 * The drawing as the network knows digits: scaled to fill the bitmap whatever its size and place on the pad, centered, drawn
 * with a pen of the right width, and averaged to 8 × 8 gray pixels from 0 to 1.
 */
export function toPixels(strokes: readonly Stroke[]): Float32Array {
  const pixels = new Float32Array(SIDE * SIDE);
  const segments = segmentsOf(fit(strokes));
  const block = FINE / SIDE;
  for (let y = 0; y < FINE; y++) {
    for (let x = 0; x < FINE; x++) {
      if (!segments.some((segment) => distance(segment, x + 0.5, y + 0.5) <= PEN / 2)) continue;
      pixels[Math.floor(y / block) * SIDE + Math.floor(x / block)]! += 1 / block ** 2;
    }
  }
  return pixels;
}

/** Points in units of the fine bitmap. */
function fit(strokes: readonly Stroke[]): readonly Stroke[] {
  const points = strokes.flat();
  if (points.length === 0) return [];
  const [xs, ys] = [points.map(({ x }) => x), points.map(({ y }) => y)];
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const scale = (FINE - PEN) / Math.max(right - left, bottom - top, LEAST_EXTENT);
  return strokes.map((stroke) =>
    stroke.map(({ x, y }) => ({
      x: FINE / 2 + (x - (left + right) / 2) * scale,
      y: FINE / 2 + (y - (top + bottom) / 2) * scale,
    })),
  );
}

type Segment = readonly [Point, Point];

function segmentsOf(strokes: readonly Stroke[]): readonly Segment[] {
  return strokes.flatMap((stroke) =>
    stroke.length === 1
      ? [[stroke[0]!, stroke[0]!] as const]
      : stroke.slice(1).map((to, i) => [stroke[i]!, to] as const),
  );
}

function distance([from, to]: Segment, x: number, y: number): number {
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const length = dx * dx + dy * dy;
  const along = length === 0 ? 0 : ((x - from.x) * dx + (y - from.y) * dy) / length;
  const t = Math.min(Math.max(along, 0), 1);
  return Math.hypot(x - from.x - t * dx, y - from.y - t * dy);
}
