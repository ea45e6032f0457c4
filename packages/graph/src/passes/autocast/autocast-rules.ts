import type { Arg, Node, OpName } from "../../ir.ts";
import { argOf } from "../../query/node-values.ts";
import type { SymInt } from "../../sym/sym-expr.ts";
import { einsumSteps } from "./einsum-steps.ts";

/**
 * The cast of an operator's floating-point operands under autocast: to the region's dtype, also for all but the state of a
 * recurrent layer, to float32, or to the widest among them. Other operators keep their operands' dtypes.
 */
export type AutocastRule = "lower" | "lower but state" | "float32" | "promote";

/** Returns the shape of an argument that is a tensor. */
export type ShapeOf = (arg: Arg | undefined) => readonly SymInt[] | undefined;

const LOWER = [
  ...["linear", "matmul", "mm", "bmm", "addmm", "_addmm_activation", "addbmm", "baddbmm", "linalg_vecdot"],
  ...["_convolution.deprecated"],
  ...["conv1d", "conv1d.padding", "conv2d", "conv2d.padding", "conv3d", "conv3d.padding", "conv_tbc", "prelu"],
  ...["conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input"],
  ...["scaled_dot_product_attention", "_native_multi_head_attention"],
  // Composed of matmuls: autocast casts inside.
  ...["linalg_multi_dot", "chain_matmul"],
  // Composed of linear layers and what keeps their dtype.
  ...["rnn_tanh.input", "rnn_relu.input", "rnn_tanh_cell", "rnn_relu_cell"],
  // A matrix product with a grid.
  "affine_grid_generator",
  // Without a bias and before it is cast: see `splitComposite`.
  "bilinear",
];

/** Composed of linear layers, whose results meet the state. */
const LOWER_BUT_STATE = ["gru.input", "gru_cell", "lstm_cell"];

const FLOAT32 = [
  ...["avg_pool3d", "adaptive_avg_pool3d", "max_pool3d", "adaptive_max_pool3d", "max_unpool2d", "max_unpool3d"],
  ...["fractional_max_pool2d", "fractional_max_pool3d", "fake_quantize_per_tensor_affine"],
  ...["reflection_pad1d", "reflection_pad2d", "replication_pad1d", "replication_pad2d", "replication_pad3d"],
  ...["grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "_grid_sampler_2d_cpu_fallback"],
  ...["prod", "prod.dim_int", "quantile", "quantile.scalar", "nanquantile", "nanquantile.scalar", "cdist", "trace"],
  ...["polar", "view_as_complex", "stft", "stft.center", "cholesky", "cholesky_inverse", "cholesky_solve", "inverse"],
  ...["fft_fft", "fft_ifft", "fft_fft2", "fft_ifft2", "fft_fftn", "fft_ifftn", "fft_rfft", "fft_irfft", "fft_rfft2"],
  ...["fft_irfft2", "fft_rfftn", "fft_irfftn", "fft_hfft", "fft_ihfft", "orgqr", "ormqr", "lu_solve"],
  ...["_lu_with_info", "geqrf", "qr", "svd", "triangular_solve", "pinverse"],
  ...["linalg_cond", "linalg_cond.p_str", "linalg_matrix_rank", "linalg_matrix_rank.tol_tensor"],
  ...["linalg_matrix_rank.atol_rtol_float", "linalg_matrix_rank.atol_rtol_tensor"],
  ...["linalg_solve", "linalg_cholesky", "linalg_svdvals", "linalg_eigvals"],
  ...["linalg_eigvalsh", "linalg_inv", "linalg_householder_product", "linalg_tensorinv", "linalg_tensorsolve"],
  ...["linalg_pinv", "linalg_pinv.rcond_tensor", "linalg_pinv.atol_rtol_float", "linalg_pinv.atol_rtol_tensor"],
  ...["linalg_qr", "linalg_cholesky_ex", "linalg_svd", "linalg_eig", "linalg_eigh", "linalg_lstsq", "linalg_inv_ex"],
  ...["binary_cross_entropy", "mse_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d", "nll_loss_nd"],
  ...["hinge_embedding_loss"],
  ...["poisson_nll_loss", "smooth_l1_loss", "cross_entropy_loss", "l1_loss", "huber_loss", "margin_ranking_loss"],
  ...["soft_margin_loss", "triplet_margin_loss", "multi_margin_loss", "ctc_loss.IntList", "ctc_loss.Tensor", "kl_div"],
  ...["multilabel_margin_loss", "multilabel_margin_loss_forward", "binary_cross_entropy_with_logits"],
];

const PROMOTE = ["stack", "cat", "index_copy"];

/** PyTorch's op lists for autocast on the CPU, and what is composed of their ops. */
const RULES: ReadonlyMap<OpName, AutocastRule> = new Map<OpName, AutocastRule>([
  ...LOWER.map((op) => [`aten::${op}`, "lower"] as const),
  ...LOWER_BUT_STATE.map((op) => [`aten::${op}`, "lower but state"] as const),
  ...FLOAT32.map((op) => [`aten::${op}`, "float32"] as const),
  ...PROMOTE.map((op) => [`aten::${op}`, "promote"] as const),
]);

type RuleByCall = (node: Node, shapeOf: ShapeOf) => AutocastRule | undefined;

/** Rules that depend on a call. */
const BY_CALL: ReadonlyMap<OpName, RuleByCall> = new Map<OpName, RuleByCall>([
  ["aten::einsum", einsum],
  ["aten::matrix_power", power],
  ["aten::linalg_matrix_power", power],
  ["aten::tensordot", tensordot],
  ["aten::inner", inner],
  ["aten::lstm.input", lstm],
  ["aten::pad", pad],
]);

/** Returns the rule for a node on the CPU; undefined where it keeps its operands' dtypes. */
export function cpuAutocastRule(node: Node, shapeOf: ShapeOf): AutocastRule | undefined {
  const byCall = BY_CALL.get(node.op);
  return byCall === undefined ? RULES.get(node.op) : byCall(node, shapeOf);
}

/** Powers are products from the second one on; a copy, or the inverse, is none. */
function power(node: Node): AutocastRule | undefined {
  const n = argOf(node, "n");
  return n?.kind === "int" && n.value >= 2 ? "lower" : undefined;
}

/** Of two operands; those of more are split. Without a sum over both it is their elementwise product. */
function einsum(node: Node, shapeOf: ShapeOf): AutocastRule | undefined {
  const [equation, tensors] = [argOf(node, "equation"), argOf(node, "tensors")];
  if (equation?.kind !== "string" || tensors?.kind !== "list" || tensors.items.length !== 2) return undefined;
  const steps = einsumSteps(
    equation.value,
    tensors.items.map((item) => shapeOf(item) ?? []),
    [],
  );
  return steps?.[0]?.contracts ? "lower" : undefined;
}

/** A product of all elements is computed as `(self * other).sum()`. */
function tensordot(node: Node, shapeOf: ShapeOf): AutocastRule | undefined {
  const free = [
    ["self", "dims_self"],
    ["other", "dims_other"],
  ] as const;
  const lone = free.every(([operand, dims]) => {
    const shape = shapeOf(argOf(node, operand));
    const list = argOf(node, dims);
    const summed = list?.kind === "list" ? list.items.map((dim) => (dim.kind === "int" ? Number(dim.value) : 0)) : [];
    return shape?.every((size, d) => size === 1 || summed.includes(d) || summed.includes(d - shape.length)) === true;
  });
  return lone ? undefined : "lower";
}

/** A number scales, two vectors have a `dot`, and a product of all elements is none of matrices. */
function inner(node: Node, shapeOf: ShapeOf): AutocastRule | undefined {
  const [self = [], other = []] = [shapeOf(argOf(node, "self")), shapeOf(argOf(node, "other"))];
  if (self.length === 0 || other.length === 0) return undefined;
  return [...self.slice(0, -1), ...other.slice(0, -1)].every((size) => size === 1) ? undefined : "lower";
}

/** oneDNN's layer, which has a rule, knows no projections. */
function lstm(node: Node): AutocastRule {
  const [params, layers] = [argOf(node, "params"), argOf(node, "num_layers")];
  const [biased, bidirectional] = [argOf(node, "has_biases"), argOf(node, "bidirectional")];
  const each = biased?.kind === "bool" && biased.value ? 4 : 2;
  const directions = bidirectional?.kind === "bool" && bidirectional.value ? 2 : 1;
  const cells = (layers?.kind === "int" ? Number(layers.value) : 1) * directions;
  return params?.kind === "list" && params.items.length > each * cells ? "lower but state" : "lower";
}

/** It calls the op for a mode and so many dimensions, of which `reflection_pad3d` has no rule. */
function pad(node: Node): AutocastRule | undefined {
  const [mode, pad] = [argOf(node, "mode"), argOf(node, "pad")];
  const [how, sides] = [mode?.kind === "string" ? mode.value : "constant", pad?.kind === "list" ? pad.items.length : 0];
  return how === "replicate" || (how === "reflect" && sides < 6) ? "float32" : undefined;
}
