import type { Builder } from "../../builder.ts";
import { isHalfPrecision } from "../../dtype-promotion.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { emit } from "../support/emit.ts";

/** The parameters of one layer in one direction. */
export interface CellWeights {
  readonly w_ih: TensorMeta;
  readonly w_hh: TensorMeta;
  readonly b_ih: TensorMeta | null;
  readonly b_hh: TensorMeta | null;
  /** The projection of an LSTM's hidden state. */
  readonly w_hr: TensorMeta | null;
}

/** The hidden state, followed by an LSTM's cell state. */
export type CellState = readonly TensorMeta[];

/** Computes one step: returns the next state from the input, already multiplied by `w_ih`, and the current state. */
export type Cell = (b: Builder, projected: TensorMeta, state: CellState, weights: CellWeights) => CellState;

/**
 * Computes `x w_ihᵀ + b_ih`, for one step or for all of them. PyTorch rounds the product before it adds the bias where the
 * steps are not dense.
 */
export function projectInput(b: Builder, input: TensorMeta, { w_ih, b_ih }: CellWeights, dense = true): TensorMeta {
  if (dense || b_ih === null) return b.tensor("aten::linear", { input, weight: w_ih, bias: b_ih });
  return emit(b).add(b.tensor("aten::linear", { input, weight: w_ih, bias: null }), b_ih);
}

function projectHidden(b: Builder, hidden: TensorMeta, { w_hh, b_hh }: CellWeights): TensorMeta {
  return b.tensor("aten::linear", { input: lowered(b, hidden, w_hh), weight: w_hh, bias: b_hh });
}

/** Under autocast only products are of the weights' dtype, and states stay float32: casts them for a product. */
export function lowered(b: Builder, state: TensorMeta, { dtype }: TensorMeta): TensorMeta {
  return state.dtype === "float32" && isHalfPrecision(dtype) ? emit(b).cast(state, dtype) : state;
}

function chunks(b: Builder, gates: TensorMeta, count: number): readonly TensorMeta[] {
  const size = gates.shape.at(-1)! / count;
  const last = gates.shape.length - 1;
  return Array.from({ length: count }, (_, i) => emit(b).slice(gates, last, i * size, (i + 1) * size));
}

/** Computes an LSTM; its gates are in the order input, forget, cell, output. */
export const lstmCell: Cell = (b, projected, [hidden, memory], weights) => {
  const e = emit(b);
  const [i, f, g, o] = chunks(b, e.add(projected, projectHidden(b, hidden!, weights)), 4) as [
    TensorMeta,
    TensorMeta,
    TensorMeta,
    TensorMeta,
  ];
  const kept = e.mul(e.sigmoid(f), memory!);
  const next = e.add(kept, e.mul(e.sigmoid(i), e.tanh(g)));
  const output = e.mul(e.sigmoid(o), e.tanh(next));
  const { w_hr } = weights;
  const hiddenNext =
    w_hr === null ? output : b.tensor("aten::linear", { input: lowered(b, output, w_hr), weight: w_hr });
  return [hiddenNext, next];
};

/** Computes a GRU; its gates are in the order reset, update, new. */
export const gruCell: Cell = (b, projected, [hidden], weights) => {
  const e = emit(b);
  const [ir, iz, fresh] = chunks(b, projected, 3) as [TensorMeta, TensorMeta, TensorMeta];
  const [hr, hz, hn] = chunks(b, projectHidden(b, hidden!, weights), 3) as [TensorMeta, TensorMeta, TensorMeta];
  const reset = e.sigmoid(e.add(ir, hr));
  const update = e.sigmoid(e.add(iz, hz));
  const candidate = e.tanh(e.add(fresh, e.mul(reset, hn)));
  return [e.add(e.mul(e.sub(hidden!, candidate), update), candidate)];
};

/** Computes a plain cell with `tanh`. */
export const tanhCell: Cell = (b, projected, [hidden], weights) => [
  emit(b).tanh(emit(b).add(projected, projectHidden(b, hidden!, weights))),
];

/** Computes a plain cell with `relu`. */
export const reluCell: Cell = (b, projected, [hidden], weights) => [
  emit(b).relu(emit(b).add(projected, projectHidden(b, hidden!, weights))),
];
