/**
 * What of the suite a backend does not do, with the reason: by op (`aten::i0`), by case (`aten::i0: transposed`) or by
 * lifecycle case (its name).
 */
export type Exceptions = Readonly<Record<string, string>>;

/** The reason that is given for a case, if any. */
export function reasonFor(exceptions: Exceptions, op: string, name: string): string | undefined {
  return exceptions[keyOf(op, name)] ?? exceptions[op];
}

/** Keys that name neither an op nor a case. */
export function unknownKeys(
  exceptions: Exceptions,
  cases: readonly { readonly op: string; readonly name: string }[],
  others: readonly string[],
): readonly string[] {
  const known = new Set([...cases.flatMap(({ op, name }) => [op, keyOf(op, name)]), ...others]);
  return Object.keys(exceptions).filter((key) => !known.has(key));
}

function keyOf(op: string, name: string): string {
  return `${op}: ${name}`;
}
