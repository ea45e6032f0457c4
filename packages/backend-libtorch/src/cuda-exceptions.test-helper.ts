/** What PyTorch computes on CPUs, whose results are the goldens, and does not on GPUs. */
const NOT_ON_GPUS = "PyTorch has no kernel for it on GPUs, and says so when it runs";
const OTHER_ROUNDING = "PyTorch rounds otherwise on GPUs";
const OTHER_STATISTICS = "on GPUs PyTorch saves other statistics for the gradient";
const RECIPROCAL = "on GPUs PyTorch multiplies with the reciprocal of a number instead of dividing by it";
/** Made for the tensors that the op before gives on a CPU. */
const OTHER_FORMAT = "on GPUs PyTorch keeps other things for the gradient than on CPUs, where the case was recorded";
const FLOAT8 = "on GPUs PyTorch gives NaN, and not the largest number, for what is too large for float8";
/** Precision `exact` hands these calls to PyTorch's own kernels as they are. */
const OTHER_RESULT = "PyTorch's kernels for GPUs give another result";

/** The cases that no GPU passes, with the reason. */
export const NOT_ON_CUDA: Readonly<Record<string, string>> = {
  ...listed(NOT_ON_GPUS, [
    "aten::_upsample_bicubic2d_aa: an empty batch",
    "aten::_upsample_bicubic2d_aa: bytes of an image",
    "aten::_upsample_bicubic2d_aa: bytes, corners aligned, strided",
    "aten::_upsample_bicubic2d_aa: bytes, factors",
    "aten::_upsample_bicubic2d_aa: bytes, much smaller",
    "aten::_upsample_bilinear2d_aa: an empty batch",
    "aten::_upsample_bilinear2d_aa: bytes of an image",
    "aten::_upsample_bilinear2d_aa: bytes, corners aligned, strided",
    "aten::_upsample_bilinear2d_aa: bytes, factors",
    "aten::_upsample_bilinear2d_aa: bytes, much smaller",
    "aten::addmm: int64",
    "aten::conv1d: uint8 wraps around",
    "aten::conv2d: int64",
    "aten::conv_transpose1d: int64",
    "aten::dot: int64 beyond 2^53",
    "aten::dot: stepped int64",
    "aten::histogramdd",
    "aten::histogramdd.TensorList_bins",
    "aten::histogramdd.int_bins",
    "aten::linalg_ldl_solve: Hermitian, complex128",
    "aten::linalg_ldl_solve: Hermitian, complex64",
    "aten::max_pool2d: int64",
    "aten::mm: int32",
    "aten::mm: int64",
    "aten::mv: transposed int64",
    "aten::scatter.reduce: multiply, complex128",
    "aten::scatter.reduce: multiply, complex64",
    "aten::scatter_reduce.two: mean, complex128",
    "aten::scatter_reduce.two: mean, complex64",
    "aten::scatter_reduce.two: prod, complex128",
    "aten::scatter_reduce.two: prod, complex64",
    "aten::upsample_bicubic2d: bytes of an image",
    "aten::upsample_bicubic2d: bytes, corners aligned, strided",
    "aten::upsample_bicubic2d: bytes, factors",
    "aten::upsample_bicubic2d: bytes, much smaller",
    "aten::upsample_bilinear2d: bytes of an image",
    "aten::upsample_bilinear2d: bytes, corners aligned, strided",
    "aten::upsample_bilinear2d: bytes, factors",
    "aten::upsample_bilinear2d: bytes, much smaller",
  ]),
  ...listed(OTHER_ROUNDING, [
    "aten::linspace: int64, where the last digit of a double decides",
    "aten::div.Tensor_mode: float16 and a bfloat16, trunc",
    "aten::div.Tensor_mode: float16 and a float32, trunc",
    "aten::div.Tensor_mode: float16 and a float64, trunc",
    "aten::grid_sampler_2d_backward: bicubic, border, edges",
  ]),
  ...listed(OTHER_STATISTICS, [
    "aten::_native_batch_norm_legit: evaluation",
    "aten::_native_batch_norm_legit_functional: training, half statistics",
    "aten::_native_batch_norm_legit_no_training: 2-d",
    "aten::_native_batch_norm_legit_no_training: 3-d",
    "aten::_native_batch_norm_legit_no_training: 4-d",
    "aten::_native_batch_norm_legit_no_training: bfloat16",
    "aten::_native_batch_norm_legit_no_training: channels-last strides",
    "aten::_native_batch_norm_legit_no_training: float64",
    "aten::_native_batch_norm_legit_no_training: large eps",
    "aten::_native_batch_norm_legit_no_training: no weight, no bias",
    "aten::native_batch_norm: evaluation",
    "aten::native_batch_norm: training, halves",
    "aten::native_layer_norm: bfloat16",
    "aten::native_layer_norm: float16",
  ]),
  ...listed(RECIPROCAL, [
    "quantized_decomposed::_choose_qparams_per_token_asymmetric_impl",
    "quantized_decomposed::choose_qparams.tensor",
    "quantized_decomposed::choose_qparams_per_token",
    "quantized_decomposed::choose_qparams_per_token_asymmetric",
    "quantized_decomposed::choose_qparams_symmetric.tensor",
    "torchao::choose_qparams_affine",
    "torchao::choose_scale_float8",
  ]),
  ...listed(OTHER_FORMAT, [
    "aten::_embedding_bag_backward",
    "aten::_embedding_bag_per_sample_weights_backward",
    "aten::max_pool2d_with_indices_backward: 2x2",
    "aten::max_pool2d_with_indices_backward: 3x3 stride 2",
  ]),
  ...listed(FLOAT8, [
    "aten::_to_copy: torch.bfloat16 to torch.float8_e4m3fn",
    "aten::_to_copy: torch.float16 to torch.float8_e4m3fn",
    "aten::_to_copy: torch.float32 to torch.float8_e4m3fn",
    "aten::to.dtype: the other of torch.float8_e5m2",
  ]),
  ...listed(OTHER_RESULT, [
    "aten::linalg_ldl_factor_ex: zeros",
    "aten::nll_loss2d_forward: none",
    "aten::std_mean.correction: infinities",
    "aten::upsample_bilinear2d: factors that are not the sizes' quotients",
    "aten::upsample_linear1d: factors that are not the sizes' quotients",
    "aten::upsample_trilinear3d: factors that are not the sizes' quotients",
    "aten::var_mean.correction: infinities",
  ]),
  "aten::_transformer_encoder_layer_fwd: gelu, norm first": "on GPUs PyTorch approximates GELU here with tanh",
  "buffers: a run that fails changes none": "its run fails for an index out of range, as in the next case",
  "runs: an index out of range is a coded error, and the executable stays usable":
    "a GPU that is given such an index fails for good, in PyTorch too",
};

function listed(reason: string, cases: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(cases.map((name) => [name, reason]));
}
