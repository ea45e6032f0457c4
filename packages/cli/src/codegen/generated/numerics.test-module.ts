// Written by `pt2 codegen` from a program of PyTorch 2.13.0+cpu: eager calls, which run on any backend.
import type { Backend } from "@pt2/backend";
import type { Aten } from "@pt2/eager";
import { type ModelSource, readWeights as readTensors, type Tensor } from "@pt2/runtime";

/** Returns a weight by its name below a module. */
export type Weights = (name: string) => Tensor;

/** Reads the weights of the program's file, to where the backend computes. */
export async function readWeights(source: ModelSource, backend: Backend): Promise<Weights> {
  const tensors = new Map<string, Tensor>();
  for await (const [name, tensor] of readTensors(source)) {
    tensors.set(name, (await backend.upload?.(tensor)) ?? tensor);
  }
  return (name) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`The file has no weight ${name}`);
    return tensor;
  };
}

/** Refuses an input that the program was not made for; a size that is null may be any. */
function expects(name: string, { dtype, shape }: Tensor, wanted: string, sizes: readonly (number | null)[]): void {
  const fits = shape.length === sizes.length && sizes.every((size, i) => size === null || size === shape[i]);
  if (fits && dtype === wanted) return;
  const all = sizes.map((size) => size ?? "any").join(", ");
  throw new RangeError(`Input ${name} is ${dtype} [${shape.join(", ")}] but must be ${wanted} [${all}]`);
}

/** The program. */
export function forward(aten: Aten, _weights: Weights, i2: Tensor, f: Tensor): readonly [Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Tensor] {
  expects("i2", i2, "int64", [3, 4]);
  expects("f", f, "float32", [3, 4]);
  const mul = aten.mul(i2, { float: 2 });
  const div = aten.div(i2, 3);
  const floorDivide = aten.floor_divide(i2, -4);
  const remainder = aten.remainder(i2, -3);
  const div2 = aten.div(f, -0.7, { rounding_mode: "floor" });
  const to = aten.to(i2, "float32");
  const mean = aten.mean(to);
  const pow = aten.pow(f, 2.5);
  const add = aten.add(f, i2, { alpha: -2 });
  const clamp = aten.clamp(f, { min: -0.5 });
  const eq = aten.eq(i2, 3);
  const to2 = aten.to(f, "float16");
  const to3 = aten.to(f, "int32");
  const bitwiseAnd = aten.bitwise_and(i2, 5);
  const exp = aten.exp(f);
  const log1p = aten.log1p(exp);
  const add2 = aten.add(f, 1);
  const atan2 = aten.atan2(f, add2);
  return [mul, div, floorDivide, remainder, div2, mean, pow, add, clamp, eq, to2, to3, bitwiseAnd, log1p, atan2];
}
