import type { HostKernel } from "./host-kernel.ts";

/** The ops of which `@pt2/engine/host` has kernels, which load on demand. */
export const HOST_OPS: RegExp = new RegExp(
  `^pt2::normal$|^aten::(${[
    "linalg_(lu_factor_ex|lu_solve|det|slogdet|inv_ex|solve_triangular|cholesky_ex|ldl_factor_ex|ldl_solve)",
    "linalg_(householder_product|eig(h|valsh)?|svd(vals)?|matrix_exp)|lu_unpack|geqrf|ormqr|_fft_[cr]2[cr]",
    "i0|igammac?|special_(i0e|i1e?|bessel_[jy][01]|(scaled_)?modified_bessel_k[01]|airy_ai|zeta)",
    "special_(ndtri|log_ndtr|erfcx|\\w+_polynomial_[a-z]+)|avg_pool2d_backward|_adaptive_avg_pool2d_backward|convolution",
    "histc|_ctc_loss(\\.Tensor)?|logcumsumexp|scatter_reduce\\.two|segment_reduce|combinations|frexp\\.Tensor",
    "kthvalue|mode|nanmedian\\.dim|nonzero_static|tri[lu]_indices|_?upsample_bi(linear|cubic)2d(_aa)?",
    "randn?|randint\\.low|random|randperm|uniform|normal_functional|bernoulli\\.p|exponential|cauchy|log_normal|geometric",
    "poisson|binomial|_standard_gamma|multinomial|rrelu_with_noise_functional",
  ].join("|")})$`,
);

/** Loads the host kernels. A backend's own kernels come before them. */
export async function loadHostKernels(): Promise<readonly HostKernel[]> {
  return (await import("./host-kernels.ts")).HOST_KERNELS;
}
