import { HOST_OPS, KernelParts } from "@pt2/engine";
import type { Part } from "@pt2/registry";
import type { WasmKernel } from "../engine/kernel.ts";
import { KERNELS } from "./all-kernels.ts";

/** The backend's own kernels in parts, of which the first loads with it, and the others with the first op that they are for. */
export const PARTS: readonly Part<WasmKernel>[] = [
  { ops: /^/, load: async () => KERNELS },
  {
    ops: /^(aten::_int_mm|pt2::linear_int8)$/,
    load: async () => (await import("./matmul/int8-kernels.ts")).INT8_KERNELS,
  },
  {
    ops: /^aten::(embedding|flip$|gather|index|scatter)/,
    load: async () => (await import("./index/index-kernels.ts")).INDEX_KERNELS,
  },
  {
    ops: /^aten::(sum|prod|mean|a(rg)?m|(log)?cum)/,
    load: async () => (await import("./reduce/reduction-kernels.ts")).REDUCTION_KERNELS,
  },
  {
    ops: /^aten::(sort|topk|kthvalue|mode|nanmedian)/,
    load: async () => (await import("./sort/sort.ts")).ORDER_KERNELS,
  },
  {
    ops: /^aten::(complex$|real$|imag$|gcd|lcm|_fft_|rand(n|int\.low)?$|uniform$|bernoulli\.p$|normal_f|convolution$|b?mm$|(max|avg)_pool)/,
    load: async () => (await import("./rare-kernels.ts")).RARE_KERNELS,
  },
  {
    ops: /^aten::_?upsample_/,
    load: async () => (await import("./resize/resize-kernels.ts")).RESIZE_KERNELS,
  },
  {
    ops: /^aten::(lstm|gru|rnn_)/,
    load: async () => (await import("./rnn/recurrent.ts")).RECURRENT,
  },
  { ops: HOST_OPS, load: async () => await (await import("./host-kernels.ts")).hostKernels() },
];

/** The kernels as plans look for them. */
export const KERNEL_PARTS: KernelParts<WasmKernel> = new KernelParts(PARTS);
