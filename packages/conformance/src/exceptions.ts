/**
 * The parts of the suite that a backend does not support, each with a reason; keys are ops (`aten::i0`), cases
 * (`aten::i0: transposed`) or names of lifecycle cases.
 */
export type Exceptions = Readonly<Record<string, string>>;

/** Returns the reason that is given for a case, if any. */
export function reasonFor(exceptions: Exceptions, op: string, name: string): string | undefined {
  return exceptions[keyOf(op, name)] ?? exceptions[op];
}

/** Returns the keys that name neither an op nor a case. */
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
