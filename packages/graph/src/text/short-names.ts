import { DTYPES, type DType } from "@pt2/format";

/** Short dtype names: `float32` ↔ `f32`, `bfloat16` ↔ `bf16`, `float8_e5m2` ↔ `f8_e5m2`. */
const SHORT: readonly (readonly [DType, string])[] = (Object.keys(DTYPES) as DType[]).map((dtype) => [
  dtype,
  dtype
    .replace(/^bfloat/, "bf")
    .replace(/^float/, "f")
    .replace(/^complex/, "c")
    .replace(/^uint/, "u")
    .replace(/^int/, "i"),
]);

const TO_SHORT: ReadonlyMap<DType, string> = new Map(SHORT);
const FROM_SHORT: ReadonlyMap<string, DType> = new Map(SHORT.map(([dtype, short]) => [short, dtype]));

/** Returns the dtype's short name in the text form. */
export function shortDType(dtype: DType): string {
  return TO_SHORT.get(dtype) ?? dtype;
}

/** Returns the dtype of a short name. */
export function dtypeOfShort(short: string): DType | undefined {
  return FROM_SHORT.get(short);
}

/** Prints a name, in JSON quotes where it is not an identifier. */
export function printName(name: string): string {
  return /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name);
}
