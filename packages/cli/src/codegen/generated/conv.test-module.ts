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
export function forward(aten: Aten, weights: Weights, x: Tensor): Tensor {
  expects("x", x, "float32", [2, 3, 19, 23]);
  const c = aten.conv2d(x, weights("c.weight"), { bias: weights("c.bias"), stride: [2, 2], padding: [1, 1] });
  const n = aten.batch_norm(
    c,
    weights("n.weight"),
    weights("n.bias"),
    weights("n.running_mean"),
    weights("n.running_var"),
    false,
    0.1,
    0.00001,
    false,
  );
  const relu = aten.relu(n);
  const d = aten.conv2d(relu, weights("d.weight"), { bias: weights("d.bias"), padding: [1, 1], groups: 8 });
  const add = aten.add(d, relu);
  const hardswish = aten.hardswish(add);
  const maxPool2d = aten.max_pool2d(hardswish, [3, 3], { stride: [2, 2], padding: [1, 1] });
  const adaptiveAvgPool2d = aten.adaptive_avg_pool2d(maxPool2d, [1, 1]);
  const flatten = aten.flatten(adaptiveAvgPool2d, { start_dim: 1 });
  const h = aten.linear(flatten, weights("h.weight"), { bias: weights("h.bias") });
  return h;
}
