import { type HostTensor, numel, requireType } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import { runtimeError } from "../runtime-errors.ts";
import { fromElements } from "./convert.ts";

/** The options of functions that make tensors. */
export interface FactoryOptions<D extends DType = DType> {
  /** @default float32 */
  readonly dtype?: D;
}

const OPTIONS: OptionTypes = { dtype: "string" };

/** Makes a tensor of zeros. */
export function zeros<D extends DType = "float32">(
  shape: readonly number[],
  options?: FactoryOptions<D>,
): HostTensor<D> {
  return made("zeros()", shape, 0, options);
}

/** Makes a tensor of ones. */
export function ones<D extends DType = "float32">(
  shape: readonly number[],
  options?: FactoryOptions<D>,
): HostTensor<D> {
  return made("ones()", shape, 1, options);
}

/** Makes a tensor whose elements are all `value`. */
export function full<D extends DType = "float32">(
  shape: readonly number[],
  value: number | bigint | boolean,
  options?: FactoryOptions<D>,
): HostTensor<D> {
  return made("full()", shape, value, options);
}

function made<D extends DType>(
  of: string,
  shape: readonly number[],
  value: number | bigint | boolean,
  options: FactoryOptions<D> = {},
): HostTensor<D> {
  requireOptions(of, options, OPTIONS, "backend.options");
  return filled(shape, options, () => value);
}

/** Makes a tensor of `start`, `start + step`, … up to `end`, which is not included. Everything is float32 by default. */
export function arange<D extends DType = "float32">(end: number, options?: FactoryOptions<D>): HostTensor<D>;
export function arange<D extends DType = "float32">(
  start: number,
  end: number,
  options?: FactoryOptions<D>,
): HostTensor<D>;
export function arange<D extends DType = "float32">(
  start: number,
  end: number,
  step: number,
  options?: FactoryOptions<D>,
): HostTensor<D>;
export function arange(...args: readonly (number | FactoryOptions | undefined)[]): HostTensor {
  const numbers = args.filter((value) => typeof value === "number");
  const options = args.find((value) => typeof value === "object") ?? {};
  requireOptions("arange()", options, OPTIONS, "backend.options");
  const [start, end, step] = numbers.length === 1 ? [0, numbers[0]!, 1] : [numbers[0]!, numbers[1]!, numbers[2] ?? 1];
  const count = Math.ceil((end - start) / step);
  if (Number.isFinite(count) && step !== 0 && count >= 0) return filled([count], options, (i) => start + i * step);
  throw runtimeError("runtime.tensor", {
    what: `arange(${numbers.join(", ")}) has no elements in that direction, or no end`,
    advice: "give a step whose sign leads from start to end",
  });
}

/** Makes a tensor from a function of the flat index. */
export function filled<D extends DType>(
  shape: readonly number[],
  { dtype = "float32" as D }: FactoryOptions<D>,
  element: (index: number) => number | bigint | boolean,
): HostTensor<D> {
  requireType(dtype, shape);
  const count = numel(shape);
  // An array of JavaScript has at most 2^32 - 1 elements.
  if (count < 2 ** 32)
    return fromElements(
      dtype,
      shape,
      Array.from({ length: count }, (_, i) => element(i)),
    );
  throw runtimeError("runtime.tensor", {
    what: `a tensor of shape [${shape.join(", ")}] has ${count} elements, which is too many to make at once`,
    advice: "check the shape",
  });
}
