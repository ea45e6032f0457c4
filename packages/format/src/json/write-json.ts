/** A number that JSON must show as a float, because Python distinguishes `1` from `1.0`. */
export class JsonFloat {
  readonly value: number;

  constructor(value: number) {
    this.value = value;
  }
}

/** A value that can be written: maps become objects, bigints become integers. */
export type Writable =
  | null
  | boolean
  | number
  | bigint
  | string
  | JsonFloat
  | readonly Writable[]
  | ReadonlyMap<string, Writable>
  | { readonly [key: string]: Writable };

/** Formats JSON text with exact integers and Python's non-finite floats. */
export function writeJson(value: Writable): string {
  if (typeof value === "bigint") return value.toString();
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  if (value instanceof JsonFloat) return floatText(value.value);
  if (Array.isArray(value)) return `[${(value as readonly Writable[]).map(writeJson).join(", ")}]`;
  const entries = value instanceof Map ? [...value] : Object.entries(value);
  const members = entries.map(([key, item]: [string, Writable]) => `${JSON.stringify(key)}: ${writeJson(item)}`);
  return `{${members.join(", ")}}`;
}

function floatText(value: number): string {
  if (Number.isNaN(value)) return '"NaN"';
  if (!Number.isFinite(value)) return value > 0 ? '"Infinity"' : '"-Infinity"';
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}
