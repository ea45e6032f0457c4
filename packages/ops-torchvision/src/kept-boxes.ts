type Numbers = Float32Array | Float64Array;

/**
 * Greedy non-maximum suppression over `dets`, [n, 4] in row-major order, as torchvision's CPU kernel does it: overlaps are
 * computed in the dtype of the boxes, and compared with the threshold in float64.
 */
export function keptBoxes(
  dets: Numbers,
  scores: Numbers,
  threshold: number,
): { readonly order: Uint32Array; readonly kept: Uint8Array } {
  const round = dets instanceof Float32Array ? Math.fround : (x: number) => x;
  const order = byDescendingScore(scores);
  const count = order.length;
  // Columns in the order of the scores: what a kept box is compared with lies side by side.
  const column = (at: number): Numbers => dets.slice(0, count).map((_, i) => dets[4 * order[i]! + at]!);
  const [x1, y1, x2, y2] = [column(0), column(1), column(2), column(3)];
  const areas = x1.map((left, i) => round(x2[i]! - left) * round(y2[i]! - y1[i]!));
  const kept = new Uint8Array(count).fill(1);
  for (let i = 0; i < count; i++) {
    if (kept[i] === 0) continue;
    for (let j = i + 1; j < count; j++) {
      if (kept[j] === 0) continue;
      const width = positive(round(smaller(x2[i]!, x2[j]!) - larger(x1[i]!, x1[j]!)));
      const height = positive(round(smaller(y2[i]!, y2[j]!) - larger(y1[i]!, y1[j]!)));
      const shared = round(width * height);
      const overlap = round(shared / round(round(areas[i]! + areas[j]!) - shared));
      if (overlap > threshold) kept[j] = 0;
    }
  }
  return { order, kept };
}

/** NaN is the largest score, as in PyTorch's sort. */
function byDescendingScore(scores: Numbers): Uint32Array {
  const unordered = (i: number): number => Number(Number.isNaN(scores[i]));
  return Uint32Array.from(scores, (_, i) => i).sort(
    (i, j) => unordered(j) - unordered(i) || (scores[i]! === scores[j]! ? i - j : scores[j]! - scores[i]!) || i - j,
  );
}

// C++'s `std::max(x, y)` and `std::min(x, y)`, which return the first argument where a comparison with NaN is false.

function larger(x: number, y: number): number {
  return x < y ? y : x;
}

function smaller(x: number, y: number): number {
  return y < x ? y : x;
}

function positive(x: number): number {
  return larger(0, x);
}
