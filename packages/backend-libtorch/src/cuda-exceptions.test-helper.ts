/** What PyTorch computes on CPUs, whose results are the goldens, and does not on GPUs. */
const NOT_ON_GPUS = "PyTorch has no kernel for it on GPUs, and says so when it runs";
const OTHER_ROUNDING = "PyTorch rounds otherwise on GPUs";
/** Made for the tensors that the op before gives on a CPU. */
const OTHER_FORMAT = "on GPUs PyTorch keeps other things of an embedding bag for its gradient";

/** The cases that no GPU passes, with the reason. */
export const NOT_ON_CUDA: Readonly<Record<string, string>> = {
  "aten::conv1d: uint8 wraps around": NOT_ON_GPUS,
  "aten::conv2d: int64": NOT_ON_GPUS,
  "aten::conv_transpose1d: int64": NOT_ON_GPUS,
  "aten::scatter.reduce: multiply, complex64": NOT_ON_GPUS,
  "aten::scatter.reduce: multiply, complex128": NOT_ON_GPUS,
  "aten::scatter_reduce.two: prod, complex64": NOT_ON_GPUS,
  "aten::scatter_reduce.two: prod, complex128": NOT_ON_GPUS,
  "aten::scatter_reduce.two: mean, complex64": NOT_ON_GPUS,
  "aten::scatter_reduce.two: mean, complex128": NOT_ON_GPUS,
  "aten::linspace: int64, where the last digit of a double decides": OTHER_ROUNDING,
  "aten::_transformer_encoder_layer_fwd: gelu, norm first": "on GPUs PyTorch approximates GELU here with tanh",
  "aten::_embedding_bag_backward": OTHER_FORMAT,
  "aten::_embedding_bag_per_sample_weights_backward": OTHER_FORMAT,
};
