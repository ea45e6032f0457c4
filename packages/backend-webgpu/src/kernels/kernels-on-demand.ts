import { HOST_OPS } from "@pt2/engine";
import type { Part } from "@pt2/registry";
import type { WebgpuKernel } from "../engine/kernel.ts";

/**
 * The backend's own kernels, in parts that load with the first op that they are for. Where several parts have one op,
 * the earlier comes first, as in each part: what is fast for few arguments before what is general.
 */
export const KERNEL_PARTS: readonly Part<WebgpuKernel>[] = [
  {
    ops: /^aten::(conv(olution|[123]d(\.padding)?|_transpose(1d|[23]d\.input))|conv_transpose1d)$/,
    load: async () => [(await import("./conv/convolution.ts")).convolution],
  },
  {
    ops: /^aten::(max|avg|_?adaptive_avg|adaptive_max)_pool[123]d(_with_indices)?$/,
    load: async () => (await import("./pool/pool.ts")).POOLS,
  },
  {
    ops: /^aten::(avg|_adaptive_avg)_pool2d_backward$/,
    load: async () => (await import("./pool/backward.ts")).POOL_GRADIENTS,
  },
  {
    ops: /^aten::(linear|mm|bmm|addmm)$/,
    load: async () => (await import("./matmul/matmul-kernels.ts")).MATMULS,
  },
  {
    ops: /^aten::(mm|bmm|_grouped_mm)$/,
    load: async () => (await import("./matmul/special-matmuls.ts")).SPECIAL_MATMULS,
  },
  {
    ops: /^(aten::_int_mm|pt2::linear_int8)$/,
    load: async () => (await import("./matmul/int8-kernels.ts")).INT8_KERNELS,
  },
  {
    ops: /^aten::((sum|mean)(\.dim(_IntList)?)?|prod(\.dim_int)?|amax|amin|argmax|argmin)$/,
    load: async () => (await import("./reduce/reduce-kernels.ts")).REDUCTIONS,
  },
  {
    ops: /^aten::((native_)?(layer|group)_norm|rms_norm)$/,
    load: async () => (await import("./norm/norm.ts")).NORMS,
  },
  {
    ops: /^aten::((log_)?softmax\.int|_(log_)?softmax)$/,
    load: async () => (await import("./softmax.ts")).SOFTMAX,
  },
  {
    ops: /^aten::(scaled_dot_product_attention|_scaled_dot_product_flash_attention_for_cpu)$/,
    load: async () => [(await import("./attention/attention.ts")).attention],
  },
  {
    ops: /^aten::(gather|index_select|embedding|index\.Tensor|index_put|scatter\.src|scatter_reduce\.two|_assert_async\.msg)$/,
    load: async () => (await import("./index/index-kernels.ts")).INDEXING,
  },
  {
    ops: /^aten::(cat|as_strided_scatter|view_as_real|view_as_complex|view\.dtype|real|imag|complex)$/,
    load: async () => (await import("./copy/copy-kernels.ts")).COPIES,
  },
  { ops: /^aten::(arange\.start_step|full)$/, load: async () => (await import("./factory/factory.ts")).FACTORIES },
  { ops: /^aten::l(in|og)space$/, load: async () => (await import("./factory/spaced.ts")).SPACED },
  {
    ops: /^aten::_?upsample_(nearest(_exact)?[123]d|linear1d|bilinear2d(_aa)?|trilinear3d|bicubic2d(_aa)?)$/,
    load: async () => (await import("./resize/resize-kernels.ts")).RESIZES,
  },
  { ops: /^aten::(cum(sum|prod|max|min)|logcumsumexp)$/, load: async () => (await import("./scan/scan.ts")).SCANS },
  { ops: /^aten::(sort\.stable|topk)$/, load: async () => (await import("./sort/sort.ts")).SORTS },
  { ops: /^aten::(gcd|lcm)$/, load: async () => (await import("./integer/divisors.ts")).DIVISORS },
  { ops: /^aten::_fft_(c2c|r2c|c2r)$/, load: async () => (await import("./fourier/fourier.ts")).FOURIER },
  { ops: HOST_OPS, load: async () => await (await import("./host/host-kernels.ts")).hostKernels() },
];
