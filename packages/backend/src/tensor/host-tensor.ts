import { DTYPES, type DType, floatToBits, isSmallFloat, numel } from "@pt2/format";
import type { TypedArray } from "@pt2/registry";
import { backendError } from "../backend-errors.ts";
import { arrayTypeOf, type DataOf } from "./elements.ts";
import { HostTensor } from "./tensor.ts";

/** An array that holds the elements of a tensor, in its memory's type or in one that is as exact. */
export type GivenArray = TypedArray | Uint8ClampedArray;

/**
 * Makes a tensor of an array, without a copy where the array is the memory of the dtype. Floats narrower than 32 bits
 * are also taken as numbers, in a `Float32Array` or a `Float16Array`. Throws if the type or the length of the array is
 * wrong.
 */
export function hostTensor<D extends DType>(dtype: D, shape: readonly number[], data: GivenArray): HostTensor<D> {
  requireType(dtype, shape);
  const bytes = memoryOf(dtype, data);
  if (bytes?.byteLength !== numel(shape) * DTYPES[dtype].itemsize) throw wrongData(dtype, shape, data);
  const isData = data instanceof arrayTypeOf(dtype) && !isSmallFloat(dtype) && dtype !== "complex32";
  return new HostTensor(dtype, shape, bytes, isData ? (data as DataOf<D>) : null);
}

/** Returns the memory of a tensor that has these elements; null if they cannot be its elements. */
function memoryOf(dtype: DType, data: GivenArray): Uint8Array | null {
  if (!ArrayBuffer.isView(data)) return null;
  const { buffer, byteOffset, byteLength } = data;
  // A view of a buffer that was transferred cannot even be made.
  const bytes = byteLength === 0 ? new Uint8Array(0) : new Uint8Array(buffer, byteOffset, byteLength);
  if (data instanceof arrayTypeOf(dtype)) return bytes;
  if (data instanceof Uint8ClampedArray) return dtype === "uint8" ? bytes : null;
  // Only newer engines have `Float16Array`.
  const isHalves = Object.prototype.toString.call(data) === "[object Float16Array]";
  if (isHalves && (dtype === "float16" || dtype === "complex32")) return bytes;
  return isHalves || data instanceof Float32Array ? narrowed(dtype, data as unknown as Float32Array) : null;
}

/** Rounds numbers to a dtype of less than 32 bits. */
function narrowed(dtype: DType, numbers: Float32Array): Uint8Array | null {
  const part = dtype === "complex32" ? "float16" : dtype;
  if (!isSmallFloat(part)) return null;
  const bits = Array.from(numbers, (number) => floatToBits(part, number));
  return DTYPES[part].itemsize === 1 ? Uint8Array.from(bits) : new Uint8Array(Uint16Array.from(bits).buffer);
}

/** Throws unless the arguments are a dtype and a shape: callers in plain JavaScript may pass anything. */
export function requireType(dtype: unknown, shape: unknown): void {
  if (typeof dtype !== "string" || !Object.hasOwn(DTYPES, dtype)) {
    const short = String(dtype).replace(/^torch\./, "");
    throw backendError("backend.tensor-data", {
      what: `${typeof dtype === "string" ? `\`${dtype}\`` : described(dtype)} is not a dtype`,
      advice: Object.hasOwn(DTYPES, short) ? `Write "${short}".` : `Write one of ${Object.keys(DTYPES).join(", ")}.`,
    });
  }
  if (Array.isArray(shape) && shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return;
  throw backendError("backend.tensor-data", {
    what: Array.isArray(shape)
      ? `[${shape.join(", ")}] is not a shape: sizes are integers that are not negative`
      : `${described(shape)} was given as the shape`,
    advice: "Give one size for each dimension: [2, 3]; [] for a single number.",
  });
}

function wrongData(dtype: DType, shape: readonly number[], data: unknown): Error {
  const type = arrayTypeOf(dtype);
  // A complex element takes two entries of the array.
  const length = (numel(shape) * DTYPES[dtype].itemsize) / type.BYTES_PER_ELEMENT;
  const isArray = ArrayBuffer.isView(data) && "length" in data;
  const given = isArray
    ? `${withArticle(data.constructor.name)} of ${data.length || "none, as after a transfer"}`
    : described(data);
  const takesNumbers = isSmallFloat(dtype) || dtype === "complex32";
  const taken = takesNumbers ? `a Float32Array (or ${withArticle(type.name)} of bits)` : withArticle(type.name);
  return backendError("backend.tensor-data", {
    what: `A tensor of dtype ${dtype} and shape [${shape.join(", ")}] needs ${taken} of ${length} elements, got ${given}`,
    advice:
      isArray && memoryOf(dtype, data as GivenArray) !== null
        ? "Check the shape: the product of its sizes must be the number of elements of the data."
        : (ADVICE[DTYPES[dtype].kind] ??
          "Pass an array of that type, or an array of numbers, which is converted and checked."),
  });
}

const ADVICE: Readonly<Partial<Record<(typeof DTYPES)[DType]["kind"], string>>> = {
  bool: "Pass one byte for each element, 0 or 1, or an array of booleans.",
  complex: "Pass the real and imaginary parts in turns.",
};

/** Puts an article before the name of a class: "an Int8Array", "a Uint8Array". */
function described(value: unknown): string {
  return value === null || typeof value !== "object" ? String(value) : withArticle(value.constructor?.name ?? "object");
}

function withArticle(name: string): string {
  return `${/^[aeio]/i.test(name) ? "an" : "a"} ${name}`;
}
