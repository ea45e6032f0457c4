/**
 * Writes a value as JSON in which each value differs from every other one, for keys: JSON itself has no bigint, -0, NaN or
 * infinity.
 */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => exact(part));
}

function exact(part: unknown): unknown {
  if (typeof part === "bigint") return { bigint: `${part}` };
  const isOwn = typeof part !== "number" || (Number.isFinite(part) && !Object.is(part, -0));
  return isOwn ? part : { number: Object.is(part, -0) ? "-0" : `${part}` };
}
