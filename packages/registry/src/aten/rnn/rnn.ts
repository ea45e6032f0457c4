import type { Builder } from "../../builder.ts";
import { defineOp, type OpRecord } from "../../op.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import {
  type Cell,
  type CellState,
  type CellWeights,
  gruCell,
  lstmCell,
  projectInput,
  reluCell,
  tanhCell,
} from "./cells.ts";
import { type Recurrent, unroll } from "./unroll.ts";

/** Defines recurrent layers, unrolled over the concrete sequence length. */
export const RNN_OPS: readonly OpRecord[] = [
  defineOp(
    "aten::lstm.input(Tensor input, Tensor[] hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor, Tensor)",
    {
      decompose: ({ hx, ...args }, b) => {
        const { output, final } = unroll(b, lstmCell, args, hx);
        return [output, final[0]!, final[1]!];
      },
    },
  ),
  defineOp(
    "aten::gru.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
    { decompose: ({ hx, ...args }, b) => simple(b, gruCell, args, hx) },
  ),
  defineOp(
    "aten::rnn_tanh.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
    { decompose: ({ hx, ...args }, b) => simple(b, tanhCell, args, hx) },
  ),
  defineOp(
    "aten::rnn_relu.input(Tensor input, Tensor hx, Tensor[] params, bool has_biases, int num_layers, float dropout, bool train, bool bidirectional, bool batch_first) -> (Tensor, Tensor)",
    { decompose: ({ hx, ...args }, b) => simple(b, reluCell, args, hx) },
  ),
  defineOp(
    "aten::lstm_cell(Tensor input, Tensor[] hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> (Tensor, Tensor)",
    {
      requires: { ranks: { input: [2], hx: [2] }, lengths: { hx: 2 } },
      decompose: ({ input, hx, ...weights }, b) => {
        const [hidden, memory] = step(b, lstmCell, input, hx, weights);
        return [hidden!, memory!];
      },
    },
  ),
  defineOp(
    "aten::gru_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    {
      requires: { ranks: { input: [2], hx: [2] } },
      decompose: ({ input, hx, ...weights }, b) => step(b, gruCell, input, [hx], weights)[0]!,
    },
  ),
  defineOp(
    "aten::rnn_tanh_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    {
      requires: { ranks: { input: [2], hx: [2] } },
      decompose: ({ input, hx, ...weights }, b) => step(b, tanhCell, input, [hx], weights)[0]!,
    },
  ),
  defineOp(
    "aten::rnn_relu_cell(Tensor input, Tensor hx, Tensor w_ih, Tensor w_hh, Tensor? b_ih=None, Tensor? b_hh=None) -> Tensor",
    {
      requires: { ranks: { input: [2], hx: [2] } },
      decompose: ({ input, hx, ...weights }, b) => step(b, reluCell, input, [hx], weights)[0]!,
    },
  ),
];

function simple(b: Builder, cell: Cell, args: Recurrent, hx: TensorMeta): readonly [TensorMeta, TensorMeta] {
  const { output, final } = unroll(b, cell, args, [hx]);
  return [output, final[0]!];
}

function step(
  b: Builder,
  cell: Cell,
  input: TensorMeta,
  state: CellState,
  given: Omit<CellWeights, "w_hr">,
): CellState {
  for (const { shape } of state) {
    check(
      shape[0] === input.shape[0] && shape[1] === given.w_hh.shape[1],
      () =>
        `Input batch size ${input.shape[0]} and hidden size ${given.w_hh.shape[1]} don't match hidden state ${show(shape)}`,
    );
  }
  const weights = { ...given, w_hr: null };
  return cell(b, projectInput(b, input, weights), state, weights);
}
