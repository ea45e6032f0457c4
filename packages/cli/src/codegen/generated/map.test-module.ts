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

/** The body of `map`: `body_graph_0`. */
function bodyGraph0(aten: Aten, xs: Tensor, y: Tensor): Tensor {
  const sin = aten.sin(xs);
  const mul = aten.mul(sin, y);
  const sum = aten.sum(xs);
  const add = aten.add(mul, sum);
  return add;
}

/** The program. */
export function forward(aten: Aten, _weights: Weights, xs: Tensor, y: Tensor): Tensor {
  expects("xs", xs, "float32", [5, 3]);
  expects("y", y, "float32", [3]);
  const mapImplRows: Tensor[] = [];
  for (let i = 0; i < xs.shape[0]!; i++) {
    const step = bodyGraph0(aten, aten.select(xs, 0, i), y);
    mapImplRows.push(step);
  }
  const mapImpl = aten.stack(mapImplRows);
  return mapImpl;
}
