/** Elements as nested arrays; a single number is itself. */
export type NestedList<T> = T | readonly NestedList<T>[];

/** Arranges elements in row-major order as nested arrays. */
export function nestedList<T>(shape: readonly number[], at: (index: number) => T, begin = 0): NestedList<T> {
  const [size, ...rest] = shape;
  if (size === undefined) return at(begin);
  const step = rest.reduce((count, inner) => count * inner, 1);
  return Array.from({ length: size }, (_, i) => nestedList(rest, at, begin + i * step));
}
