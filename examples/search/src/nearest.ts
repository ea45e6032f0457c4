/** A vector that was found, and how near it is: 1 means the same direction. */
export interface Match {
  readonly index: number;
  readonly score: number;
}

/** The vectors nearest to `query`, best first. All have length one, so the product is the cosine. */
export function nearest(query: Float32Array, vectors: readonly Float32Array[], count: number): readonly Match[] {
  return vectors
    .map((vector, index) => ({ index, score: vector.reduce((sum, x, i) => sum + x * query[i]!, 0) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, count);
}
