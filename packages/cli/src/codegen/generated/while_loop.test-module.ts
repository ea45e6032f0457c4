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

/** The condition of `while_loop`: `while_loop_cond_graph_0`. */
function whileLoopCondGraph0(aten: Aten, arg01: Tensor, arg11: Tensor, arg21: Tensor): Tensor {
  const mul = aten.mul(arg11, arg11);
  const sub = aten.sub(mul, arg21);
  const abs = aten.abs(sub);
  const max = aten.max(abs);
  const gt = aten.gt(max, 0.001);
  const lt = aten.lt(arg01, 30);
  const and = aten.__and__(gt, lt);
  return and;
}

/** The body of `while_loop`: `while_loop_body_graph_0`. */
function whileLoopBodyGraph0(aten: Aten, arg01: Tensor, arg11: Tensor, arg21: Tensor): readonly [Tensor, Tensor] {
  const add = aten.add(arg01, 1);
  const div = aten.div(arg21, arg11);
  const add2 = aten.add(arg11, div);
  const div2 = aten.div(add2, 2);
  return [add, div2];
}

/** The program. */
export async function forward(aten: Aten, _weights: Weights, x: Tensor): Promise<readonly [Tensor, Tensor]> {
  expects("x", x, "float32", [3]);
  const zeros = aten.zeros([], { dtype: "int64" });
  const clone = aten.clone(x);
  let [whileLoop, whileLoop2]: readonly [Tensor, Tensor] = [zeros, clone];
  while (await aten.item(whileLoopCondGraph0(aten, whileLoop, whileLoop2, x))) {
    [whileLoop, whileLoop2] = whileLoopBodyGraph0(aten, whileLoop, whileLoop2, x);
  }
  return [whileLoop, whileLoop2];
}
