import { normalDim } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import { planTransforms, type Transform } from "./passes.ts";

/** `_fft_c2c(self, dim, normalization, forward)` */
const complexToComplex: WebgpuKernel = webgpuKernel({
  ops: ["aten::_fft_c2c"],
  complex: true,
  prepare(call, args) {
    const { dim: dims, forward } = args;
    const { shape } = call.tensor(args.self);
    plan(
      call,
      args,
      normalDims(dims, shape).map((dim) => ({ dim, n: shape[dim]!, kept: shape[dim]!, from: "complex", forward })),
    );
  },
});

/** `_fft_r2c(self, dim, normalization, onesided)`: of the last of `dim` only the first half stays where `onesided`. */
const realToComplex: WebgpuKernel = webgpuKernel({
  ops: ["aten::_fft_r2c"],
  accepts: ({ self }) => ["float32", "float64"].includes(self.dtype),
  prepare(call, args) {
    const { shape } = call.tensor(args.self);
    const kept = (call.call.results[0] as TensorMeta).shape;
    // The last dimension comes first: half of it need not be transformed further.
    plan(
      call,
      args,
      normalDims(args.dim, shape)
        .toReversed()
        .map((dim, i) => ({
          dim,
          n: shape[dim]!,
          kept: kept[dim]!,
          from: i === 0 ? "real" : "complex",
          forward: true,
        })),
    );
  },
});

/** `_fft_c2r(self, dim, normalization, last_dim_size)`: the inverse, of the first half of a symmetric spectrum. */
const complexToReal: WebgpuKernel = webgpuKernel({
  ops: ["aten::_fft_c2r"],
  complex: true,
  fuses: true,
  prepare(call, args) {
    const { shape } = call.call.results[0] as TensorMeta;
    const dims = normalDims(args.dim, shape);
    plan(
      call,
      args,
      dims.map((dim, i) => ({
        dim,
        n: shape[dim]!,
        kept: shape[dim]!,
        from: i === dims.length - 1 ? "half" : "complex",
        forward: false,
      })),
    );
  },
});

/** Fourier transforms of any length. */
export const FOURIER: readonly WebgpuKernel[] = [complexToComplex, realToComplex, complexToReal];

function normalDims(dims: readonly number[], shape: readonly number[]): readonly number[] {
  return dims.map((dim) => normalDim(dim, shape.length));
}

interface FourierArgs {
  readonly self: TensorMeta;
  readonly normalization: number;
}

/** PyTorch's numbers for the scale: 0 leaves the values, 1 divides by the root of the count, 2 by the count. */
function plan(call: KernelCall, { self, normalization: mode }: FourierArgs, transforms: readonly Transform[]): void {
  const count = transforms.reduce((product, { n }) => product * n, 1);
  planTransforms(call, call.tensor(self), transforms, mode === 0 ? 1 : mode === 1 ? 1 / Math.sqrt(count) : 1 / count);
}
