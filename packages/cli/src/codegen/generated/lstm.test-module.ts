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

/** Returns the weights below a module. */
function below(weights: Weights, path: string): Weights {
  return (name) => weights(`${path}.${name}`);
}

/** Refuses an input that the program was not made for; a size that is null may be any. */
function expects(name: string, { dtype, shape }: Tensor, wanted: string, sizes: readonly (number | null)[]): void {
  const fits = shape.length === sizes.length && sizes.every((size, i) => size === null || size === shape[i]);
  if (fits && dtype === wanted) return;
  const all = sizes.map((size) => size ?? "any").join(", ");
  throw new RangeError(`Input ${name} is ${dtype} [${shape.join(", ")}] but must be ${wanted} [${all}]`);
}

/** `r`, a `LSTM`. */
function lSTM(aten: Aten, weights: Weights, x: Tensor): readonly [Tensor, Tensor, Tensor] {
  const zeros = aten.zeros([4, 2, 7], { dtype: "float32" });
  const zeros2 = aten.zeros([4, 2, 7], { dtype: "float32" });
  const [lstm, lstm2, lstm3] = aten.lstm(
    x,
    [zeros, zeros2],
    [weights("weight_ih_l0"), weights("weight_hh_l0"), weights("bias_ih_l0"), weights("bias_hh_l0"), weights("weight_ih_l0_reverse"), weights("weight_hh_l0_reverse"), weights("bias_ih_l0_reverse"), weights("bias_hh_l0_reverse"), weights("weight_ih_l1"), weights("weight_hh_l1"), weights("bias_ih_l1"), weights("bias_hh_l1"), weights("weight_ih_l1_reverse"), weights("weight_hh_l1_reverse"), weights("bias_ih_l1_reverse"), weights("bias_hh_l1_reverse")],
    true,
    2,
    0,
    false,
    true,
    true,
  );
  return [lstm, lstm2, lstm3];
}

/** `g`, a `GRU`. */
function gRU(aten: Aten, weights: Weights, x: Tensor): Tensor {
  const zeros = aten.zeros([1, 3, 3], { dtype: "float32" });
  const [gru] = aten.gru(
    x,
    zeros,
    [weights("weight_ih_l0"), weights("weight_hh_l0"), weights("bias_ih_l0"), weights("bias_hh_l0")],
    true,
    1,
    0,
    false,
    false,
    false,
  );
  return gru;
}

/** The program. */
export function forward(aten: Aten, weights: Weights, x: Tensor): readonly [Tensor, Tensor, Tensor] {
  expects("x", x, "float32", [2, 3, 5]);
  const [r, r2, r3] = lSTM(aten, below(weights, "r"), x);
  const g = gRU(aten, below(weights, "g"), r);
  return [g, r2, r3];
}
