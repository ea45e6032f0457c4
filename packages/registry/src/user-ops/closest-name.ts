/** Returns the candidate that was probably meant: one with an edit distance of at most two. */
export function closestName(text: string, candidates: Iterable<string>): string | undefined {
  let [best, least]: [string | undefined, number] = [undefined, 3];
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= least) continue;
    const away = edits(text.toLowerCase(), candidate.toLowerCase());
    if (away < least && away < text.length / 2) [best, least] = [candidate, away];
  }
  return best;
}

/** Returns the edit distance: insertions, deletions, substitutions and swaps of adjacent letters. */
function edits(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (same ? 0 : 1), swapped));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
