import { type GivenArray, type HostTensor, hostTensor, type NestedList, requireType, viewAs } from "@pt2/backend";
import { DTYPES, type DType, isSmallFloat } from "@pt2/format";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { runtimeError } from "../runtime-errors.ts";
import { type Elements, fromElements } from "./convert.ts";
import { flattened } from "./nested-elements.ts";

const OPTIONS: OptionTypes = { dtype: "string", shape: "array" };

/** What {@link tensor} takes beside the elements. */
export interface TensorOptions<D extends DType = DType> {
  /** @default that of a typed array; float32 for numbers, int64 if there are bigints, bool for booleans alone */
  readonly dtype?: D;
  /** @default that of nested arrays; one dimension for a typed array */
  readonly shape?: readonly number[];
}

/** A tensor without its class: as `postMessage` delivers it, or as a handler receives it. */
export interface PlainTensor<D extends DType = DType> {
  /** The dtype by its name in PyTorch, without `torch.`. */
  readonly dtype: D;
  /** One size for each dimension. */
  readonly shape: readonly number[];
  /** The memory in row-major order. Where it is not there, `data` is taken. */
  readonly bytes?: Uint8Array | null;
  /** The elements in row-major order. */
  readonly data?: ArrayBufferView | Elements | null;
}

/** The dtype that the type of an array gives. */
export type DTypeOf<Data extends GivenArray> = Data extends Float64Array
  ? "float64"
  : Data extends BigInt64Array
    ? "int64"
    : Data extends BigUint64Array
      ? "uint64"
      : Data extends Int32Array
        ? "int32"
        : Data extends Uint32Array
          ? "uint32"
          : Data extends Int16Array
            ? "int16"
            : Data extends Uint16Array
              ? "uint16"
              : Data extends Int8Array
                ? "int8"
                : Data extends Uint8Array | Uint8ClampedArray
                  ? "uint8"
                  : "float32";

/**
 * Makes a tensor in host memory.
 *
 * - `tensor([[1, 2], [3, 4]])`: of rows, of a single number, or of a typed array, whose type gives the dtype. Numbers
 *   are float32 unless `dtype` says otherwise.
 * - `tensor("float32", [2, 2], data)`: of a flat array in row-major order.
 * - `tensor(received)`: of a tensor that another thread sent, or that a handler received.
 *
 * A typed array that has the type of the dtype's memory is used without a copy; float16, bfloat16 and float8 take
 * numbers in a `Float32Array`, or their bits. Other arrays are converted; a number that an integer dtype cannot hold is
 * rejected with `runtime.tensor`.
 */
export function tensor<D extends DType>(dtype: D, shape: readonly number[], data: GivenArray | Elements): HostTensor<D>;
export function tensor<D extends DType>(received: PlainTensor<D>): HostTensor<D>;
export function tensor<Data extends GivenArray, D extends DType = DTypeOf<Data>>(
  data: Data,
  options?: TensorOptions<D>,
): HostTensor<D>;
export function tensor<D extends DType = "float32">(
  rows: NestedList<number>,
  options?: TensorOptions<D>,
): HostTensor<D>;
export function tensor<D extends DType = "int64">(rows: NestedList<bigint>, options?: TensorOptions<D>): HostTensor<D>;
export function tensor<D extends DType = "bool">(rows: NestedList<boolean>, options?: TensorOptions<D>): HostTensor<D>;
export function tensor(first: unknown, second?: unknown, third?: unknown): HostTensor {
  if (typeof first === "string" || (typeof first !== "object" && third !== undefined))
    return ofType(first as DType, second as readonly number[], third as GivenArray);
  if (isPlainTensor(first)) return fromPlain(first);
  return fromData(first, second as TensorOptions | undefined);
}

/** Returns whether a value may be a tensor without its class; its members are not checked. */
export function isPlainTensor(value: unknown): value is PlainTensor {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value;
}

function ofType(dtype: DType, shape: readonly number[], data: GivenArray | Elements): HostTensor {
  requireType(dtype, shape);
  return ArrayBuffer.isView(data) ? hostTensor(dtype, shape, data) : fromElements(dtype, shape, requireFlat(data));
}

/** Makes a tensor of one without its class. */
export function fromPlain({ dtype, shape, bytes, data }: PlainTensor): HostTensor {
  requireType(dtype, shape);
  return bytes instanceof Uint8Array
    ? hostTensor(dtype, shape, viewAs(dtype, bytes))
    : ofType(dtype, shape, data as GivenArray);
}

function fromData(data: unknown, options: TensorOptions = {}): HostTensor {
  requireOptions("tensor()", options, OPTIONS, "backend.options");
  const { dtype, shape } = options;
  if (ArrayBuffer.isView(data)) {
    const array = data as GivenArray;
    const to = dtype ?? dtypeOfArray(data);
    const sizes = shape ?? [array.length / (DTYPES[to]?.kind === "complex" ? 2 : 1)];
    requireType(to, sizes);
    return isConverted(to, data)
      ? fromElements(to, sizes, Array.from(array as Float32Array))
      : hostTensor(to, sizes, array);
  }
  const { shape: found, elements } = flattened(data);
  const areAll = (type: string): boolean => elements.length > 0 && elements.every((element) => typeof element === type);
  const isWide = elements.some((element) => typeof element === "bigint");
  const kind: DType = isWide ? "int64" : areAll("boolean") ? "bool" : "float32";
  requireType(dtype ?? kind, shape ?? found);
  return fromElements(dtype ?? kind, shape ?? found, elements);
}

function dtypeOfArray(data: ArrayBufferView): DType {
  const tag = tagOf(data).replace("Clamped", "");
  const isOwn = (dtype: DType): boolean =>
    !isSmallFloat(dtype) && !["bool", "complex"].includes(DTYPES[dtype].kind) && memoryTag(dtype) === tag;
  const dtype = tag === "Float16Array" ? "float16" : (Object.keys(DTYPES) as DType[]).find(isOwn);
  if (dtype !== undefined) return dtype;
  throw runtimeError("runtime.tensor", {
    what: `a ${tagOf(data)} is not an array of elements`,
    advice: "pass a typed array, or an array of numbers",
  });
}

/** The name of the class of a dtype's memory. */
function memoryTag(dtype: DType): string {
  return tagOf(viewAs(dtype, new Uint8Array(0)));
}

/** The name of an array's class; subclasses, such as Buffer of Node, have that of their array. */
function tagOf(data: ArrayBufferView): string {
  return Object.prototype.toString.call(data).slice("[object ".length, -1);
}

/** Whether the elements of an array are converted one by one, rather than taken as memory or as narrow floats. */
function isConverted(dtype: DType, data: ArrayBufferView): boolean {
  const given = tagOf(data);
  if (DTYPES[dtype].kind === "complex" || given === memoryTag(dtype)) return false;
  if (dtype === "uint8") return given !== "Uint8ClampedArray";
  return !(isSmallFloat(dtype) && ["Float32Array", "Float16Array"].includes(given));
}

/** Throws if the data is not a flat array of elements. */
function requireFlat(data: unknown): Elements {
  if (!Array.isArray(data)) {
    throw runtimeError("runtime.tensor", {
      what: `${typeof data === "object" && data !== null ? `a ${data.constructor?.name ?? "object"}` : String(data)} is not an array of elements`,
      advice: "pass a typed array, or an array of numbers",
    });
  }
  if (!data.some(Array.isArray)) return data;
  throw runtimeError("runtime.tensor", {
    what: "The elements are nested arrays",
    advice: "pass one flat array in row-major order, such as rows.flat(Infinity), or the rows alone: tensor(rows)",
  });
}
