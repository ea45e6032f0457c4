import type { OpName } from "../../ir.ts";

/**
 * The cast of an operator's floating-point operands under autocast: to the region's dtype, to float32, or to the widest
 * among them. Other operators keep their operands' dtypes.
 */
export type AutocastRule = "lower" | "float32" | "promote";

const LOWER = [
  ...["linear", "matmul", "mm", "bmm", "addmm", "addbmm", "baddbmm", "linalg_vecdot", "_convolution.deprecated"],
  ...["conv1d", "conv1d.padding", "conv2d", "conv2d.padding", "conv3d", "conv3d.padding", "conv_tbc", "prelu"],
  ...["conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input"],
  ...["scaled_dot_product_attention", "_native_multi_head_attention"],
  // Composed of matmuls: autocast casts inside.
  ...["einsum", "tensordot", "inner", "linalg_multi_dot", "chain_matmul"],
];

const FLOAT32 = [
  ...["avg_pool3d", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d", "_grid_sampler_2d_cpu_fallback"],
  ...["prod", "prod.dim_int", "quantile", "quantile.scalar", "nanquantile", "nanquantile.scalar", "cdist", "trace"],
  ...["polar", "view_as_complex", "stft", "stft.center", "cholesky", "cholesky_inverse", "cholesky_solve", "inverse"],
  ...["fft_fft", "fft_ifft", "fft_fft2", "fft_ifft2", "fft_fftn", "fft_ifftn", "fft_rfft", "fft_irfft", "fft_rfft2"],
  ...["fft_irfft2", "fft_rfftn", "fft_irfftn", "fft_hfft", "fft_ihfft", "orgqr", "ormqr", "lu_solve", "pinverse"],
  ...["linalg_cond", "linalg_matrix_rank", "linalg_solve", "linalg_cholesky", "linalg_svdvals", "linalg_eigvals"],
  ...["linalg_eigvalsh", "linalg_inv", "linalg_householder_product", "linalg_tensorinv", "linalg_tensorsolve"],
  ...["linalg_qr", "linalg_cholesky_ex", "linalg_svd", "linalg_eig", "linalg_eigh", "linalg_lstsq", "linalg_inv_ex"],
  ...["binary_cross_entropy", "mse_loss", "cosine_embedding_loss", "nll_loss", "nll_loss2d", "hinge_embedding_loss"],
  ...["poisson_nll_loss", "smooth_l1_loss", "cross_entropy_loss", "l1_loss", "huber_loss", "margin_ranking_loss"],
  ...["soft_margin_loss", "triplet_margin_loss", "multi_margin_loss", "ctc_loss.IntList", "ctc_loss.Tensor", "kl_div"],
  ...["multilabel_margin_loss", "binary_cross_entropy_with_logits"],
];

const PROMOTE = ["stack", "cat", "index_copy"];

/** PyTorch's op lists for autocast on the CPU. */
export const CPU_AUTOCAST_RULES: ReadonlyMap<OpName, AutocastRule> = new Map<OpName, AutocastRule>([
  ...LOWER.map((op) => [`aten::${op}`, "lower"] as const),
  ...FLOAT32.map((op) => [`aten::${op}`, "float32"] as const),
  ...PROMOTE.map((op) => [`aten::${op}`, "promote"] as const),
]);
