import type { KernelArgs } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { packedMatrix, planGemm, transposed } from "../matmul/gemm.ts";

/** The cells of the assembly, and how many gates each has. */
const CELLS = {
  lstm: { code: 0, gates: 4 },
  gru: { code: 1, gates: 3 },
  tanh: { code: 2, gates: 1 },
  relu: { code: 3, gates: 1 },
} as const;
type CellName = keyof typeof CELLS;

/**
 * Products of one step beyond which the steps are calls of their own: threads then share each of them, and what a call
 * costs does not count.
 */
const MOST_PRODUCTS = 2 ** 18;

/** What the schemas of recurrent layers have in common. */
type Layers = Omit<KernelArgs<"aten::gru.input">, "hx">;

/** `lstm`, all steps of a layer in one call. */
const lstm: WasmKernel = wasmKernel({
  ops: ["aten::lstm.input"],
  accepts: ({ hx, ...layers }) => isSmall("lstm", layers, hx),
  prepare: (call, { hx, ...layers }) => planLayers(call, "lstm", layers, hx),
});

/** `gru`, all steps of a layer in one call. */
const gru: WasmKernel = wasmKernel({
  ops: ["aten::gru.input"],
  accepts: ({ hx, ...layers }) => isSmall("gru", layers, [hx]),
  prepare: (call, { hx, ...layers }) => planLayers(call, "gru", layers, [hx]),
});

const rnnTanh: WasmKernel = wasmKernel({
  ops: ["aten::rnn_tanh.input"],
  accepts: ({ hx, ...layers }) => isSmall("tanh", layers, [hx]),
  prepare: (call, { hx, ...layers }) => planLayers(call, "tanh", layers, [hx]),
});

const rnnRelu: WasmKernel = wasmKernel({
  ops: ["aten::rnn_relu.input"],
  accepts: ({ hx, ...layers }) => isSmall("relu", layers, [hx]),
  prepare: (call, { hx, ...layers }) => planLayers(call, "relu", layers, [hx]),
});

/** Recurrent layers whose steps take little. */
export const RECURRENT: readonly WasmKernel[] = [lstm, gru, rnnTanh, rnnRelu];

function isSmall(cell: CellName, layers: Layers, states: readonly TensorMeta[]): boolean {
  const { input, params, has_biases, num_layers, dropout, train, bidirectional } = layers;
  const size = states[0]?.shape[2] ?? 0;
  const batch = states[0]?.shape[1] ?? 0;
  const each = has_biases ? 4 : 2;
  const drops = train && dropout > 0 && num_layers > 1;
  return (
    [input, ...states, ...params].every(({ dtype }) => dtype === "float32") &&
    params.length === each * num_layers * (bidirectional ? 2 : 1) &&
    input.shape.every((length) => length > 0) &&
    size > 0 &&
    batch * CELLS[cell].gates * size * size <= MOST_PRODUCTS &&
    !drops
  );
}

/** A sequence of [step, batch, feature], in whichever order it lies. */
type Sequence = TensorView;

/** Plans all layers in all directions. Checks have been made where the call's results were inferred. */
function planLayers(call: KernelCall, cell: CellName, layers: Layers, states: readonly TensorMeta[]): void {
  const { num_layers, bidirectional, batch_first } = layers;
  const directions = bidirectional ? 2 : 1;
  const [out, ...finals] = [0, ...states.map((_, i) => i + 1)].map((index) => call.output(index));
  const initial = states.map((state) => call.dense(call.tensor(state)));
  const [batch, size] = initial[0]!.shape.slice(1) as [number, number];
  let sequence: Sequence = byStep(call.dense(call.tensor(layers.input)), batch_first);
  for (let layer = 0; layer < num_layers; layer++) {
    const shape = [sequence.shape[0]!, batch, size * directions];
    const next = layer === num_layers - 1 ? byStep(out!, batch_first) : call.temporary("float32", shape);
    for (let direction = 0; direction < directions; direction++) {
      const at = layer * directions + direction;
      planDirection(call, cell, {
        weights: weightsAt(call, layers, at),
        sequence,
        initial: select(initial[0]!, at),
        // The cell state of an LSTM is computed where its last one belongs.
        memory: cell === "lstm" ? copied(call, select(initial[1]!, at), select(finals[1]!, at)) : null,
        out: { ...next, shape: [shape[0]!, batch, size], offset: next.offset + direction * size },
        final: select(finals[0]!, at),
        backwards: direction === 1,
      });
    }
    sequence = next;
  }
}

interface Direction {
  readonly weights: ReturnType<typeof weightsAt>;
  readonly sequence: Sequence;
  readonly initial: TensorView;
  readonly memory: TensorView | null;
  readonly out: Sequence;
  readonly final: TensorView;
  readonly backwards: boolean;
}

function planDirection(call: KernelCall, cell: CellName, direction: Direction): void {
  const { weights, sequence, initial, memory, out, final, backwards } = direction;
  const [steps, batch, inputs] = sequence.shape as readonly [number, number, number];
  const size = out.shape[2]!;
  const { code, gates } = CELLS[cell];
  const width = gates * size;
  const rows = call.temporary("float32", [steps * batch, width]);
  // A sequence lies dense, by step or by batch, and so do its rows.
  const flat = { ...sequence, shape: [steps * batch, inputs], strides: [inputs, 1] };
  planGemm(call, rows, flat, transposed(weights.input), { bias: weights.inputBias });
  const isByStep = sequence.strides[0]! >= sequence.strides[1]!;
  const [xStep, xBatch] = isByStep ? [batch * width, width] : [width, steps * width];
  const [outStep, outBatch] = out.strides as readonly [number, number, number];
  const packed = packedMatrix(call, transposed(weights.hidden));
  const bias = weights.hiddenBias && call.dense(weights.hiddenBias);
  const scratch = call.scratch(4 * batch * width);
  const [sign, first] = backwards ? [-1, steps - 1] : [1, 0];
  const { kernels } = call;
  call.step(() => {
    const x = addressOf(rows) + 4 * first * xStep;
    const to = addressOf(out) + 4 * first * outStep;
    const [biasAt, memoryAt] = [bias ? addressOf(bias) : 0, memory ? addressOf(memory) : 0];
    const [weight, hidden] = [addressOf(packed), addressOf(initial)];
    kernels.recurrentSteps(
      ...([code, steps, batch, size, x, sign * xStep, xBatch, weight, biasAt, hidden, memoryAt] as const),
      ...([to, sign * outStep, outBatch, scratch.handle] as const),
    );
  });
  call.copy(select(out, steps - 1 - first), final);
}

/** `w_ih, w_hh[, b_ih, b_hh]` of a layer in one direction. */
function weightsAt(call: KernelCall, { params, has_biases }: Layers, at: number) {
  const each = has_biases ? 4 : 2;
  const [input, hidden, inputBias, hiddenBias] = params
    .slice(each * at, each * (at + 1))
    .map((param) => call.tensor(param));
  return { input: input!, hidden: hidden!, inputBias: inputBias ?? null, hiddenBias: hiddenBias ?? null };
}

/** A tensor of [batch, step, feature] as one of [step, batch, feature]. */
function byStep(view: TensorView, isBatchFirst: boolean): Sequence {
  if (!isBatchFirst) return view;
  const swap = <T>([a, b, c]: readonly T[]): readonly T[] => [b!, a!, c!];
  return { ...view, shape: swap(view.shape), strides: swap(view.strides) };
}

/** The tensor at an index of the first dimension. */
function select(view: TensorView, index: number): TensorView {
  const { shape, strides, offset } = view;
  return { ...view, shape: shape.slice(1), strides: strides.slice(1), offset: offset + index * strides[0]! };
}

function copied(call: KernelCall, from: TensorView, to: TensorView): TensorView {
  call.copy(from, to);
  return to;
}
