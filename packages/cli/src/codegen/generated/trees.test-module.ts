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
export function forward(aten: Aten, _weights: Weights, pairLeft: Tensor, pairRight0: Tensor, named: Tensor): { readonly sum: Tensor; readonly list: readonly [Tensor, readonly [Tensor, number]]; readonly named: Tensor } {
  expects("pairLeft", pairLeft, "float32", [3, 2]);
  expects("pairRight0", pairRight0, "float32", [3, 2]);
  expects("named", named, "float32", [2]);
  const add = aten.add(pairLeft, pairRight0);
  const mul = aten.mul(pairLeft, { float: 2 });
  const sub = aten.sub(named, 1);
  return { sum: add, list: [mul, [pairRight0, 3]], named: sub };
}
