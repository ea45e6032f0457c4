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
export async function forward(aten: Aten, _weights: Weights, x: Tensor): Promise<readonly [Tensor, Tensor, Tensor]> {
  expects("x", x, "float32", [4, 3]);
  const gt = aten.gt(x, 0);
  const nonzero = await aten.nonzero(gt);
  const symSize = nonzero.shape[0]!;
  const ge = symSize >= 0;
  if (!ge) throw new RangeError("Runtime assertion failed for expression u0 >= 0 on node 'ge_1'");
  const le = symSize <= 12;
  if (!le) throw new RangeError("Runtime assertion failed for expression u0 <= 12 on node 'le'");
  const gt2 = aten.gt(x, 1);
  const sum = aten.sum(gt2);
  const item = await aten.item(sum) as number;
  const ge2 = item >= 0;
  if (!ge2) throw new RangeError("Runtime assertion failed for expression u1 >= 0 on node 'ge_2'");
  const gt3 = aten.gt(x, 0);
  const index = await aten.index(x, [gt3]);
  const symSize2 = index.shape[0]!;
  const ge3 = symSize2 >= 0;
  if (!ge3) throw new RangeError("Runtime assertion failed for expression u2 >= 0 on node 'ge_3'");
  const le2 = symSize2 <= 12;
  if (!le2) throw new RangeError("Runtime assertion failed for expression u2 <= 12 on node 'le_1'");
  const add = item + 1;
  const zeros = aten.zeros([add]);
  return [index, nonzero, zeros];
}
