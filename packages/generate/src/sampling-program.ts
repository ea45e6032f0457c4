import type { Arg, Program, ValueType } from "@pt2/graph";
import { ProgramWriter, type TensorKind } from "@pt2/graph/passes";

/** What is done with the logits of the next token, in this order, which is that of transformers. */
export interface SamplingSteps {
  /** Logits of tokens that the text has already are lowered. */
  readonly penalty: boolean;
  /** Some tokens are excluded. */
  readonly excluded: boolean;
  /** The token is drawn at random; else it is the most probable one, and the steps below are left out. */
  readonly sample: boolean;
  readonly temperature: boolean;
  readonly topK: boolean;
  readonly topP: boolean;
  readonly minP: boolean;
}

/** Returns what tells apart the programs of steps. */
export function keyOf({ penalty, excluded, sample, temperature, topK, topP, minP }: SamplingSteps): string {
  return [penalty, excluded, sample, temperature, topK, topP, minP].join(" ");
}

/**
 * Writes the program that chooses a token. Its inputs are, where there is such a step: `logits` (float32 [1, vocabulary]),
 * `text` (int64 [1, n], its tokens) and `penalty`, `excluded` (int64 [1, n]), `temperature`, `topK`, `outsideTopP` (1 - p) and
 * `minP`. It returns the token, int64 [1, 1]. The formulas are those of `transformers.generation.logits_process`.
 */
export function samplingProgram(steps: SamplingSteps): Program {
  const writer = new ProgramWriter();
  let logits = writer.input("logits", ROW);
  if (steps.penalty) logits = penalized(writer, logits);
  if (steps.excluded) {
    const index = writer.input("excluded", TOKENS);
    logits = writer.call("aten::scatter.value", { self: logits, dim: int(-1), index, value: LOWEST }, ROW);
  }
  if (!steps.sample) {
    return writer.program(writer.call("aten::argmax", { self: logits, dim: int(-1), keepdim: TRUE }, TOKENS));
  }
  if (steps.temperature) {
    const other = writer.input("temperature", NUMBER);
    logits = writer.call("aten::div.Tensor", { self: logits, other }, ROW);
  }
  if (steps.topK) logits = without(writer, logits, belowTopK(writer, logits));
  if (steps.topP) logits = without(writer, logits, outsideTopP(writer, logits));
  if (steps.minP) logits = without(writer, logits, belowMinP(writer, logits));
  const self = softmax(writer, logits);
  return writer.program(writer.call("aten::multinomial", { self, num_samples: int(1) }, TOKENS));
}

/** Divides positive logits of tokens in the text by the penalty, and multiplies the others (arXiv:1909.05858, section 4.1). */
function penalized(writer: ProgramWriter, self: Arg): Arg {
  const [index, other] = [writer.input("text", TOKENS), writer.input("penalty", NUMBER)];
  const found = writer.call("aten::gather", { self, dim: int(-1), index }, ROW);
  const condition = writer.call("aten::lt.Scalar", { self: found, other: int(0) }, MASK);
  const times = writer.call("aten::mul.Tensor", { self: found, other }, ROW);
  const over = writer.call("aten::div.Tensor", { self: found, other }, ROW);
  const src = writer.call("aten::where.self", { condition, self: times, other: over }, ROW);
  return writer.call("aten::scatter.src", { self, dim: int(-1), index, src }, ROW);
}

/** Those below the least of the k largest. */
function belowTopK(writer: ProgramWriter, self: Arg): Arg {
  const [values] = writer.calls("aten::topk", { self, k: writer.input("topK", INTEGER), dim: int(-1) }, [ROW, TOKENS]);
  const other = writer.call("aten::slice.Tensor", { self: values!, dim: int(-1), start: int(-1) }, ROW);
  return writer.call("aten::lt.Tensor", { self, other }, MASK);
}

/** The least probable ones, which have 1 - p together (arXiv:1904.09751), but never the most probable one. */
function outsideTopP(writer: ProgramWriter, self: Arg): Arg {
  const dim = int(-1);
  const sorted = writer.calls("aten::sort", { self, dim, descending: FALSE }, [ROW, TOKENS]);
  const sums = writer.call("aten::cumsum", { self: softmax(writer, sorted[0]!), dim }, ROW);
  const outside = writer.call("aten::le.Scalar", { self: sums, other: writer.input("outsideTopP", NUMBER) }, MASK);
  const last = writer.call("aten::slice.Tensor", { self: outside, dim, start: int(-1) }, MASK);
  const kept = writer.call("aten::zeros_like", { self: last }, MASK);
  const src = writer.call("aten::slice_scatter", { self: outside, src: kept, dim, start: int(-1) }, MASK);
  return writer.call("aten::scatter.src", { self: src, dim, index: sorted[1]!, src }, MASK);
}

/** Those less probable than a share of the most probable one (arXiv:2407.01082). */
function belowMinP(writer: ProgramWriter, logits: Arg): Arg {
  const self = softmax(writer, logits);
  const most = writer.call("aten::amax", { self, dim: { kind: "list", items: [int(-1)] }, keepdim: TRUE }, ROW);
  const other = writer.call("aten::mul.Tensor", { self: most, other: writer.input("minP", NUMBER) }, ROW);
  return writer.call("aten::lt.Tensor", { self, other }, MASK);
}

function without(writer: ProgramWriter, self: Arg, mask: Arg): Arg {
  return writer.call("aten::masked_fill.Scalar", { self, mask, value: LOWEST }, ROW);
}

function softmax(writer: ProgramWriter, self: Arg): Arg {
  return writer.call("aten::softmax.int", { self, dim: int(-1) }, ROW);
}

const NUMBER: ValueType = { kind: "symfloat", value: null };
const INTEGER: ValueType = { kind: "symint", value: null };
const ROW: TensorKind = { dtype: "float32", shape: [1, null] };
const MASK: TensorKind = { dtype: "bool", shape: [1, null] };
const TOKENS: TensorKind = { dtype: "int64", shape: [1, null] };
const TRUE: Arg = { kind: "bool", value: true };
const FALSE: Arg = { kind: "bool", value: false };
const LOWEST: Arg = { kind: "float", value: Number.NEGATIVE_INFINITY };

function int(value: number): Arg {
  return { kind: "int", value };
}
