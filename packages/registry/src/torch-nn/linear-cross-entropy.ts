import type { DType } from "@pt2/format";
import { check } from "../aten/support/check.ts";
import { type Emit, emit } from "../aten/support/emit.ts";
import type { Builder } from "../builder.ts";
import { defineOp, type OpRecord } from "../op.ts";
import type { TensorMeta } from "../tensor-meta.ts";

interface Loss {
  readonly input: TensorMeta;
  readonly linear_weight: TensorMeta;
  readonly target: TensorMeta;
  readonly linear_bias: TensorMeta | null;
  readonly weight: TensorMeta | null;
  readonly ignore_index: number;
  readonly batch_chunk_size: number;
  readonly acc_policy: string;
  readonly acc_dtype: DType;
}

/** The inputs of the computation of one chunk of the batch. */
interface Chunk {
  readonly logits: TensorMeta;
  readonly target: TensorMeta;
  readonly weight: TensorMeta;
}

/** Defines a linear layer and its loss in chunks of the batch, so that the full logits are never stored. */
export const LINEAR_CROSS_ENTROPY_OPS: readonly OpRecord[] = [
  defineOp(
    "torch_nn::_linear_cross_entropy_batch_chunked(Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight, str reduction, SymInt ignore_index, float label_smoothing, SymInt batch_chunk_size, str acc_policy, ScalarType acc_dtype, bool allow_retain_graph, bool compute_input_grad, bool compute_linear_weight_grad, bool compute_linear_bias_grad) -> (Tensor, Tensor, Tensor, Tensor)",
    {
      decompose: (args, b) => {
        const { compute_input_grad, compute_linear_weight_grad, compute_linear_bias_grad, label_smoothing } = args;
        const gradients = compute_input_grad || compute_linear_weight_grad || compute_linear_bias_grad;
        check(
          !gradients,
          "gradients of linear_cross_entropy are not computed; export the program under torch.no_grad()",
        );
        check(label_smoothing <= 0, "linear_cross_entropy does not support label smoothing");
        const e = emit(b);
        const { dtype } = args.input;
        const loss = e.cast(reducedLoss(b, args, args.reduction), dtype);
        const none = (rank: number): TensorMeta => e.full(Array<number>(rank).fill(0), 0, dtype);
        return [loss, none(2), none(2), none(1)];
      },
    },
  ),
  defineOp(
    "torch_nn::_linear_cross_entropy_batch_chunked_no_reduction(Tensor input, Tensor linear_weight, Tensor target, Tensor? linear_bias, Tensor? weight, SymInt ignore_index, SymInt batch_chunk_size, str acc_policy, ScalarType acc_dtype) -> Tensor",
    { decompose: (args, b) => lossOfEach(b, args) },
  ),
];

/** Reduces in PyTorch's order of operations, so that libtorch returns the same bits. */
function reducedLoss(b: Builder, loss: Loss, reduction: string): TensorMeta {
  const e = emit(b);
  const { input, acc_dtype } = loss;
  const dtype = input.dtype === "float16" ? acc_dtype : input.dtype;
  const weight = negativeWeights(e, b, loss, reduction);
  const dot = (self: TensorMeta, tensor: TensorMeta): TensorMeta => b.tensor("aten::dot", { self, tensor });
  let output = e.full([], reduction === "mean" && input.shape[0] === 0 ? Number.NaN : 0, dtype);
  for (const chunk of chunksOf(b, loss, weight)) {
    const picked = e.cast(pick(e, b, chunk), chunk.weight.dtype);
    output = e.cast(e.add(output, dot(chunk.weight, picked)), dtype);
    const denominator = sumOfExp(b, chunk, acc_dtype);
    output = e.cast(e.sub(output, dot(e.cast(chunk.weight, acc_dtype), e.log(denominator))), dtype);
  }
  return output;
}

function lossOfEach(b: Builder, loss: Loss): TensorMeta {
  const e = emit(b);
  const { input, acc_dtype } = loss;
  const parts = chunksOf(b, loss, negativeWeights(e, b, loss, "none")).map((chunk) => {
    const part = e.sub(e.log(sumOfExp(b, chunk, acc_dtype)), e.cast(pick(e, b, chunk), acc_dtype));
    return e.cast(e.mul(part, e.cast(chunk.weight, acc_dtype)), input.dtype);
  });
  return parts.length === 0 ? e.full([0], 0, input.dtype) : e.cat(parts, 0);
}

/** Returns, per element of the batch, the weight of its class, divided and negated as the reduction requires. */
function negativeWeights(e: Emit, b: Builder, loss: Loss, reduction: string): TensorMeta {
  const { target, weight, ignore_index, acc_dtype } = loss;
  const kept = e.ne(target, ignore_index);
  const classes = classNumbers(e, loss);
  const weights =
    weight === null
      ? e.cast(kept, acc_dtype)
      : e.where(kept, e.cast(b.tensor("aten::index_select", { self: weight, dim: 0, index: classes }), acc_dtype), 0);
  if (reduction === "none") return weights;
  if (reduction === "sum") return e.neg(weights);
  const total = e.sum(weights, []);
  return e.div(weights, e.where(e.eq(total, 0), { float: Number.NaN }, e.neg(total)));
}

/** Replaces ignored targets, so that all can be used as an index. */
function classNumbers(e: Emit, { target, linear_weight, ignore_index }: Loss): TensorMeta {
  const isClass = ignore_index >= 0 && ignore_index < linear_weight.shape[0]!;
  return isClass ? target : e.where(e.ne(target, ignore_index), target, 0);
}

function chunksOf(b: Builder, loss: Loss, weight: TensorMeta): readonly Chunk[] {
  const e = emit(b);
  const { input, linear_bias, acc_policy, acc_dtype, batch_chunk_size } = loss;
  check(batch_chunk_size > 0, "chunks of linear_cross_entropy must have a size");
  const narrow = input.dtype === "float16" && (acc_policy === "balanced" || acc_policy === "compact");
  const dtype = narrow ? input.dtype : acc_dtype;
  const classes = classNumbers(e, loss);
  const matrix = b.tensor("aten::t", { self: e.cast(loss.linear_weight, dtype) });
  return Array.from({ length: Math.ceil(input.shape[0]! / batch_chunk_size) }, (_, i) => {
    const start = i * batch_chunk_size;
    const part = (x: TensorMeta): TensorMeta => e.slice(x, 0, start, Math.min(start + batch_chunk_size, x.shape[0]!));
    const product = b.tensor("aten::mm", { self: e.cast(part(input), dtype), mat2: matrix });
    const logits = linear_bias === null ? product : e.add(product, e.cast(linear_bias, dtype));
    return { logits: e.sub(logits, e.amax(logits, [1], true)), target: part(classes), weight: part(weight) };
  });
}

/** Returns the logit of each target. */
function pick(e: Emit, b: Builder, { logits, target }: Chunk): TensorMeta {
  return e.squeeze(b.tensor("aten::gather", { self: logits, dim: 1, index: e.unsqueeze(target, 1) }), 1);
}

function sumOfExp(b: Builder, { logits }: Chunk, dtype: DType): TensorMeta {
  return b.tensor("aten::sum.dim_IntList", { self: emit(b).exp(logits), dim: [1], dtype });
}
