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
function trueGraph0(aten: Aten, x: Tensor, pUpBias: Tensor, pUpWeight: Tensor, _pDownBias: Tensor, _pDownWeight: Tensor): readonly [Tensor, Tensor] {
  const linear = aten.linear(x, pUpWeight, { bias: pUpBias });
  const sum = aten.sum(x, [0]);
  return [linear, sum];
}

/** A branch of `cond`: `false_graph_0`. */
function falseGraph0(aten: Aten, x: Tensor, _pUpBias: Tensor, _pUpWeight: Tensor, pDownBias: Tensor, pDownWeight: Tensor): readonly [Tensor, Tensor] {
  const linear = aten.linear(x, pDownWeight, { bias: pDownBias });
  const sub = aten.sub(linear, 1);
  const amax = aten.amax(x, { dim: [0] });
  return [sub, amax];
}

/** A branch of `cond`: `true_graph_0`. */
async function trueGraph0_2(aten: Aten, x: Tensor, n: Tensor, pDownBias: Tensor, pDownWeight: Tensor, pUpBias: Tensor, pUpWeight: Tensor): Promise<readonly [Tensor, Tensor]> {
  const gt = aten.gt(n, 3);
  const [cond, cond2] = (await aten.item(gt)) ? trueGraph0(aten, x, pUpBias, pUpWeight, pDownBias, pDownWeight) : falseGraph0(aten, x, pUpBias, pUpWeight, pDownBias, pDownWeight);
  return [cond, cond2];
}

/** A branch of `cond`: `false_graph_0`. */
function falseGraph0_2(aten: Aten, x: Tensor, n: Tensor, _pDownBias: Tensor, _pDownWeight: Tensor, _pUpBias: Tensor, _pUpWeight: Tensor): readonly [Tensor, Tensor] {
  const mul = aten.mul(x, n);
  const mean = aten.mean(x, [0]);
  return [mul, mean];
}

/** The program. */
export async function forward(aten: Aten, weights: Weights, x: Tensor, n: Tensor): Promise<readonly [Tensor, Tensor]> {
  expects("x", x, "float32", [2, 3]);
  expects("n", n, "int64", []);
  const sum = aten.sum(x);
  const gt = aten.gt(sum, 0);
  const [cond, cond2] = (await aten.item(gt)) ? await trueGraph0_2(aten, x, n, weights("down.bias"), weights("down.weight"), weights("up.bias"), weights("up.weight")) : falseGraph0_2(aten, x, n, weights("down.bias"), weights("down.weight"), weights("up.bias"), weights("up.weight"));
  return [cond, cond2];
}
