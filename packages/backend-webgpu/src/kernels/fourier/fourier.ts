import { normalDim } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall, WebgpuKernel } from "../../engine/kernel.ts";
import { planTransforms, type Transform } from "./passes.ts";

/** `_fft_c2c(self, dim, normalization, forward)` */
const complexToComplex: WebgpuKernel = {
  ops: ["aten::_fft_c2c"],
  complex: true,
  prepare(call) {
    const { shape } = call.tensor("self");
    const forward = call.arg<boolean>("forward");
    plan(
      call,
      dimsOf(call).map((dim) => ({ dim, n: shape[dim]!, kept: shape[dim]!, from: "complex", forward })),
    );
  },
};

/** `_fft_r2c(self, dim, normalization, onesided)`: of the last of `dim` only the first half stays where `onesided`. */
const realToComplex: WebgpuKernel = {
  ops: ["aten::_fft_r2c"],
  accepts: ({ self }) => ["float32", "float64"].includes((self as TensorMeta).dtype),
  prepare(call) {
    const { shape } = call.tensor("self");
    const kept = (call.call.results[0] as TensorMeta).shape;
    // The last dimension comes first: half of it need not be transformed further.
    plan(
      call,
      dimsOf(call)
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
};

/** `_fft_c2r(self, dim, normalization, last_dim_size)`: the inverse, of the first half of a symmetric spectrum. */
const complexToReal: WebgpuKernel = {
  ops: ["aten::_fft_c2r"],
  complex: true,
  fuses: true,
  prepare(call) {
    const { shape } = call.call.results[0] as TensorMeta;
    const dims = dimsOf(call);
    plan(
      call,
      dims.map((dim, i) => ({
        dim,
        n: shape[dim]!,
        kept: shape[dim]!,
        from: i === dims.length - 1 ? "half" : "complex",
        forward: false,
      })),
    );
  },
};

/** Fourier transforms of any length. */
export const FOURIER: readonly WebgpuKernel[] = [complexToComplex, realToComplex, complexToReal];

function dimsOf(call: KernelCall): readonly number[] {
  const rank = call.tensor("self").shape.length;
  return call.arg<readonly number[]>("dim").map((dim) => normalDim(dim, rank));
}

/** PyTorch's numbers for the scale: 0 leaves the values, 1 divides by the root of the count, 2 by the count. */
function plan(call: KernelCall, transforms: readonly Transform[]): void {
  const count = transforms.reduce((product, { n }) => product * n, 1);
  const mode = call.arg<number>("normalization");
  planTransforms(call, call.tensor("self"), transforms, mode === 0 ? 1 : mode === 1 ? 1 / Math.sqrt(count) : 1 / count);
}
