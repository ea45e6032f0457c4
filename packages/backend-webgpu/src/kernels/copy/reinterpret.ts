import type { HostData } from "@pt2/engine";
import { areParts } from "@pt2/engine";
import type { DType } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { isSame } from "../../engine/element-bytes.ts";
import { type KernelCall, type WebgpuKernel, webgpuKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import { webgpuError } from "../../webgpu-errors.ts";
import { storageOf } from "../../wgsl/storage.ts";

/**
 * The same bytes as another dtype: complex numbers as pairs, and `view.dtype`. A view where the GPU stores both as they
 * are, of a dense copy where strides cannot say it; else the host looks at the bytes, which are not the GPU's own.
 */
export const reinterpret: WebgpuKernel = webgpuKernel({
  ops: ["aten::view_as_real", "aten::view_as_complex", "aten::view.dtype"],
  unsigned: true,
  complex: true,
  accepts: ({ self, dtype }) => dtype !== "bool" || self.dtype === "bool",
  prepare(call, args) {
    const self = call.tensor(args.self);
    const { dtype, shape } = call.call.results[0] as TensorMeta;
    if (self.dtype === dtype) {
      call.alias(0, self);
      return;
    }
    const known = isSame(self.dtype, call.adapter) && isSame(dtype, call.adapter);
    if (known || areParts(self.dtype, dtype)) {
      call.alias(0, viewOf(call, self, { dtype, shape }));
      return;
    }
    if (NARROWED.has(self.dtype)) throw notItsBytes(self.dtype, dtype);
    const out = call.output();
    const run = ([from]: readonly HostData[]): readonly HostData[] => [{ ...out, bytes: from!.bytes }];
    call.host({ name: "aten::view.dtype", reads: [self], writes: [out], run });
  },
});

/**
 * Dtypes whose elements the GPU holds with less precision if narrowing is allowed, so that their bytes are lost. An int64
 * keeps its value, from which its bytes can be restored.
 */
const NARROWED: ReadonlySet<DType> = new Set(["float64", "complex128"]);

function notItsBytes(from: DType, to: DType): Error {
  return webgpuError("webgpu.dtype", {
    what: `A view reads the bytes of ${from} elements as ${to}, but the GPU holds each element in half as many bytes`,
    advice: "Run the program on another backend, or view float32 elements instead.",
  });
}

function viewOf(call: KernelCall, self: TensorView, { dtype, shape }: TensorMeta): TensorView {
  const [from, to] = [self.dtype, dtype].map((each) => storageOf(each, call.adapter).bytes) as [number, number];
  const rank = self.shape.length;
  const view = fits(self, from, to, shape.length) ? self : compact(call, self);
  const strides = view.strides.slice(0, shape.length).map((stride) => Math.floor((stride * from) / to));
  // Of a pair that becomes one number the dimension goes; else elements lie side by side in the last one.
  if (from !== to && shape.length >= rank) strides[shape.length - 1] = 1;
  return { dtype, shape, strides, offset: (view.offset * from) / to, buffer: view.buffer };
}

/** Whether elements that become one lie side by side, and everything else in multiples of them; or can be split. */
function fits({ shape, strides, offset }: TensorView, from: number, to: number, rank: number): boolean {
  const last = shape.length - 1;
  if (from >= to) return from === to || rank > shape.length || strides[last] === 1;
  const count = to / from;
  const others = strides.filter((_, d) => d !== last && shape[d] !== 1);
  return strides[last] === 1 && [offset, ...others].every((n) => n % count === 0);
}

/** A row-major copy that begins its buffer. */
function compact(call: KernelCall, view: TensorView): TensorView {
  return call.prepared(view, "dense", { dtype: view.dtype, shape: view.shape }, (ctx, from, to) => ctx.copy(from, to));
}
