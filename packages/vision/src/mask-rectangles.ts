import type { Mask } from "./mask.ts";
import type { Rectangle } from "./rectangle.ts";

/** Rectangles that have every covered pixel once: runs of a row, which go on below while the rows are equal there. */
export function coveredBy({ x, y, width, height, data }: Mask, scale: number): readonly Rectangle[] {
  const done: Rectangle[] = [];
  let open = new Map<string, { start: number; end: number; top: number }>();
  const close = ({ start, end, top }: { start: number; end: number; top: number }, bottom: number): void => {
    done.push({
      ...{ x: (x + start) * scale, y: (y + top) * scale },
      ...{ width: (end - start) * scale, height: (bottom - top) * scale },
    });
  };
  for (let row = 0; row < height; row++) {
    const next: typeof open = new Map();
    for (let start = 0; start < width; start++) {
      if (data[row * width + start] !== 1) continue;
      let end = start;
      while (end < width && data[row * width + end] === 1) end++;
      const key = `${start} ${end}`;
      next.set(key, open.get(key) ?? { start, end, top: row });
      open.delete(key);
      start = end;
    }
    for (const run of open.values()) close(run, row);
    open = next;
  }
  for (const run of open.values()) close(run, height);
  return done;
}
