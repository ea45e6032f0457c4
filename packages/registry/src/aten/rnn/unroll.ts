import type { Builder } from "../../builder.ts";
import { isHalfPrecision } from "../../dtype-promotion.ts";
import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { range } from "../support/dims.ts";
import { emit } from "../support/emit.ts";
import { type Cell, type CellState, type CellWeights, lowered, lstmCell, projectInput } from "./cells.ts";

/** The arguments that `lstm.input`, `gru.input` and `rnn_*.input` have in common. */
export interface Recurrent {
  readonly input: TensorMeta;
  readonly params: readonly TensorMeta[];
  readonly has_biases: boolean;
  readonly num_layers: number;
  readonly dropout: number;
  readonly train: boolean;
  readonly bidirectional: boolean;
  readonly batch_first: boolean;
}

/**
 * Runs a cell over the whole sequence, layer by layer. `initial` has one tensor of shape [layers × directions, batch,
 * size] for each component of the state. Returns the outputs of the last layer, and the final states in the same form.
 */
export function unroll(
  b: Builder,
  cell: Cell,
  args: Recurrent,
  initial: CellState,
): { readonly output: TensorMeta; readonly final: CellState } {
  const e = emit(b);
  check(args.input.shape.length === 3, () => `rnn: Expected 3-D input, got ${show(args.input.shape)}`);
  const directions = args.bidirectional ? 2 : 1;
  for (const part of initial) {
    check(
      part.shape.length === 3 && part.shape[0] === args.num_layers * directions,
      () => `Expected hidden size [${args.num_layers * directions}, batch, size], got ${show(part.shape)}`,
    );
  }
  const weights = weightsOf(args, directions, cell === lstmCell);
  const finals: CellState[] = [];
  check(args.input.shape[args.batch_first ? 1 : 0]! > 0, "Expected sequence length to be larger than 0 in RNN");
  let sequence = args.batch_first ? e.transpose(args.input, 0, 1) : args.input;
  const [steps, batch] = sequence.shape;
  // Only lower precision shows whether it is.
  const isDense = !args.batch_first || steps === 1 || batch === 1 || !isHalfPrecision(sequence.dtype);
  for (const layer of range(args.num_layers)) {
    const runs = range(directions).map((direction) => {
      const at = layer * directions + direction;
      const input = layer === 0 ? sequence : lowered(b, sequence, weights[at]!.w_ih);
      return runDirection(
        b,
        cell,
        projectInput(b, input, weights[at]!, isDense || layer > 0),
        initial.map((part) => e.select(part, 0, at)),
        weights[at]!,
        direction === 1,
      );
    });
    finals.push(...runs.map((run) => run.state));
    sequence = e.cat(
      runs.map((run) => run.output),
      2,
    );
    if (args.train && args.dropout > 0 && layer < args.num_layers - 1) {
      sequence = b.tensor("aten::dropout", { input: sequence, p: args.dropout, train: true });
    }
  }
  const final = initial.map((_, part) =>
    b.tensor("aten::stack", { tensors: finals.map((state) => state[part]!), dim: 0 }),
  );
  return { output: args.batch_first ? e.transpose(sequence, 0, 1) : sequence, final };
}

/** All inputs are projected at once; only the recurrent product is computed step by step. */
function runDirection(
  b: Builder,
  cell: Cell,
  projected: TensorMeta,
  initial: CellState,
  weights: CellWeights,
  backwards: boolean,
): { readonly output: TensorMeta; readonly state: CellState } {
  const e = emit(b);
  const length = projected.shape[0]!;
  const outputs = new Array<TensorMeta>(length);
  let state = initial;
  for (const step of range(length)) {
    const time = backwards ? length - 1 - step : step;
    state = cell(b, e.select(projected, 0, time), state, weights);
    outputs[time] = state[0]!;
  }
  return { output: b.tensor("aten::stack", { tensors: outputs, dim: 0 }), state };
}

/** Splits the parameters by layer and direction: `w_ih, w_hh[, b_ih, b_hh][, w_hr]`. */
function weightsOf(
  { params, has_biases, num_layers }: Recurrent,
  directions: number,
  projects: boolean,
): readonly CellWeights[] {
  const cells = num_layers * directions;
  const each = params.length / cells;
  const base = has_biases ? 4 : 2;
  check(each === base || (projects && each === base + 1), () => `rnn: got ${params.length} weights for ${cells} cells`);
  return range(cells).map((i) => {
    const own = params.slice(i * each, (i + 1) * each);
    const [b_ih, b_hh] = has_biases ? [own[2]!, own[3]!] : [null, null];
    return { w_ih: own[0]!, w_hh: own[1]!, b_ih, b_hh, w_hr: own[base] ?? null };
  });
}
