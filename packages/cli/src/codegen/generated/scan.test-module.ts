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

/** A step of `scan`: `scan_combine_graph_0`. */
function scanCombineGraph0(aten: Aten, arg01: Tensor, arg11: Tensor, arg21: Tensor, arg31: Tensor): readonly [Tensor, Tensor] {
  const cat = aten.cat([arg01, arg11], { dim: -1 });
  const linear = aten.linear(cat, arg21, { bias: arg31 });
  const tanh = aten.tanh(linear);
  const mul = aten.mul(tanh, 2);
  return [tanh, mul];
}

/** The program. */
export function forward(aten: Aten, weights: Weights, start: Tensor, xs: Tensor): readonly [Tensor, Tensor] {
  expects("start", start, "float32", [2, 5]);
  expects("xs", xs, "float32", [7, 2, 3]);
  let scan: Tensor = start;
  const scan2Rows: Tensor[] = [];
  for (let i = 0; i < xs.shape[0]!; i++) {
    const step = scanCombineGraph0(aten, scan, aten.select(xs, 0, i), weights("cell.weight"), weights("cell.bias"));
    scan = step[0];
    scan2Rows.push(step[1]);
  }
  const scan2 = aten.stack(scan2Rows);
  return [scan, scan2];
}
