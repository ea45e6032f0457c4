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
export function forward(aten: Aten, weights: Weights, x: Tensor): readonly [Tensor, Tensor] {
  expects("x", x, "float32", [2, 5, 12]);
  const n = aten.layer_norm(x, [12], { weight: weights("n.weight"), bias: weights("n.bias"), cudnn_enable: false });
  const q = aten.linear(n, weights("q.weight"), { bias: weights("q.bias") });
  const view = aten.view(q, [2, 5, 3, 2, 6]);
  const permute = aten.permute(view, [2, 0, 3, 1, 4]);
  const unbind = aten.unbind(permute);
  const scaledDotProductAttention = aten.scaled_dot_product_attention(unbind[0]!, unbind[1]!, unbind[2]!, { is_causal: true });
  const scaledDotProductAttention2 = aten.scaled_dot_product_attention(unbind[0]!, unbind[1]!, unbind[2]!, { scale: 0.7 });
  const add = aten.add(scaledDotProductAttention, scaledDotProductAttention2);
  const transpose = aten.transpose(add, 1, 2);
  const reshape = aten.reshape(transpose, [2, 5, 12]);
  const o = aten.linear(reshape, weights("o.weight"), { bias: weights("o.bias") });
  const layerNorm = aten.layer_norm(x, [12], { bias: weights("n.bias"), eps: 0.001, cudnn_enable: false });
  return [o, layerNorm];
}
