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

/** A branch of `cond`: `true_graph_0`. */
function trueGraph0(aten: Aten, x: Tensor): Tensor {
  const mul = aten.mul(x, 2);
  const add = aten.add(mul, 1);
  return add;
}

/** A branch of `cond`: `false_graph_0`. */
function falseGraph0(aten: Aten, x: Tensor): Tensor {
  const sub = aten.sub(x, 3);
  return sub;
}

/** The program. */
export async function forward(aten: Aten, _weights: Weights, x: Tensor): Promise<Tensor> {
  expects("x", x, "float32", [3, 2]);
  const sum = aten.sum(x);
  const gt = aten.gt(sum, 0);
  const cond = (await aten.item(gt)) ? trueGraph0(aten, x) : falseGraph0(aten, x);
  return cond;
}
