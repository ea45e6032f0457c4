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
export function forward(aten: Aten, weights: Weights, ids: Tensor): readonly [Tensor, Tensor, Tensor] {
  expects("ids", ids, "int64", [null, null]);
  if (!(ids.shape[0]! <= 64)) throw new RangeError("It must be that ids.shape[0] <= 64");
  if (!(ids.shape[1]! <= 128)) throw new RangeError("It must be that ids.shape[1] <= 128");
  const symSize = ids.shape[0]!;
  const symSize2 = ids.shape[1]!;
  const e = aten.embedding(weights("e.weight"), ids);
  const l = aten.linear(e, weights("l.weight"), { bias: weights("l.bias") });
  const mul = symSize2 * 2;
  const reshape = aten.reshape(l, [symSize, mul, 4]);
  const arange = aten.arange(mul);
  const unsqueeze = aten.unsqueeze(arange, -1);
  const floorDivide = aten.floor_divide(unsqueeze, 2);
  const mul2 = aten.mul(reshape, floorDivide);
  const view = aten.view(mul2, [symSize, -1]);
  const add = symSize2 + 1;
  const newFull = aten.new_full(reshape, [add, 2], 0.5);
  const select = aten.select(reshape, 1, -1);
  return [view, newFull, select];
}
