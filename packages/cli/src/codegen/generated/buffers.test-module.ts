// Written by `pt2 codegen` from a program of PyTorch 2.13.0+cpu: eager calls, which run on any backend.
import type { Backend } from "@pt2/backend";
import type { Aten } from "@pt2/eager";
import { type ModelSource, readWeights as readTensors, type Tensor } from "@pt2/runtime";

/** Returns a weight by its name below a module. */
export type Weights = (name: string) => Tensor;

/** The weights, of which calls write some. */
export interface State extends Weights {
  write(name: string, tensor: Tensor): void;
}

/** Reads the weights of the program's file, to where the backend computes. */
export async function readWeights(source: ModelSource, backend: Backend): Promise<State> {
  const tensors = new Map<string, Tensor>();
  for await (const [name, tensor] of readTensors(source)) {
    tensors.set(name, (await backend.upload?.(tensor)) ?? tensor);
  }
  const weights = (name: string) => {
    const tensor = tensors.get(name);
    if (tensor === undefined) throw new Error(`The file has no weight ${name}`);
    return tensor;
  };
  return Object.assign(weights, { write: (name: string, tensor: Tensor) => void tensors.set(name, tensor) });
}

/** Refuses an input that the program was not made for; a size that is null may be any. */
function expects(name: string, { dtype, shape }: Tensor, wanted: string, sizes: readonly (number | null)[]): void {
  const fits = shape.length === sizes.length && sizes.every((size, i) => size === null || size === shape[i]);
  if (fits && dtype === wanted) return;
  const all = sizes.map((size) => size ?? "any").join(", ");
  throw new RangeError(`Input ${name} is ${dtype} [${shape.join(", ")}] but must be ${wanted} [${all}]`);
}

/** The program. */
export function forward(aten: Aten, weights: State, x: Tensor, pos: Tensor): readonly [Tensor, Tensor] {
  expects("x", x, "float32", [2, 2, 4]);
  expects("pos", pos, "int64", [2]);
  const add = aten.add(weights("count"), 1);
  const indexCopy = aten.index_copy(weights("cache"), 1, pos, x);
  const mul = aten.mul(indexCopy, 2);
  const add2 = aten.add(mul, add);
  const clone = aten.clone(add);
  weights.write("count", add);
  weights.write("cache", indexCopy);
  return [add2, clone];
}
