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
  const mapImplRows: Tensor[] = [];
  for (let i = 0; i < xs.shape[0]!; i++) {
    const step = bodyGraph0(aten, aten.select(xs, 0, i), y);
    mapImplRows.push(step);
  }
  const mapImpl = aten.stack(mapImplRows);
  return mapImpl;
}
