import type { TensorMeta } from "../../tensor-meta.ts";
import { check, show } from "../support/check.ts";
import { perDim } from "../support/dims.ts";

/** Pooling arguments with one entry per spatial dimension. */
export interface Window {
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly ceil: boolean;
}

/** Pooling arguments in the form of the schemas. */
export interface WindowArgs {
  readonly kernel_size: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation?: readonly number[];
  readonly ceil_mode: boolean;
}

/** Reads and checks pooling arguments; an empty stride means the kernel size. */
export function windowOf(op: string, args: WindowArgs, spatial: number): Window {
  const kernel = perDim(args.kernel_size, spatial, `${op}: kernel_size`);
  const stride = args.stride.length === 0 ? kernel : perDim(args.stride, spatial, `${op}: stride`);
  const padding = perDim(args.padding, spatial, `${op}: padding`);
  const dilation = perDim(args.dilation ?? [1], spatial, `${op}: dilation`);
  check(
    [...kernel, ...stride, ...dilation].every((n) => n > 0),
    () => `${op}: kernel_size, stride and dilation should be greater than zero`,
  );
  kernel.forEach((k, d) => {
    const limit = Math.floor(((k - 1) * dilation[d]! + 1) / 2);
    check(
      padding[d]! >= 0 && padding[d]! <= limit,
      () =>
        `pad should be at most half of effective kernel size, but got pad=${padding[d]}, kernel_size=${k} and dilation=${dilation[d]}`,
    );
  });
  return { kernel, stride, padding, dilation, ceil: args.ceil_mode };
}

/** Returns the shape of a pooled tensor, batched or not. */
export function pooledShape(op: string, self: TensorMeta, window: Window): readonly number[] {
  const spatial = window.kernel.length;
  checkImage(op, self, spatial);
  check(
    self.shape.length === spatial + 2 || self.shape[0] !== 0,
    () => `${op}: Expected a tensor with optional 0 dim batch size for input, but got: ${show(self.shape)}`,
  );
  const lead = self.shape.slice(0, -spatial);
  const sizes = self.shape.slice(-spatial).map((size, d) => pooledSize(size, window, d));
  check(
    sizes.every((n) => n > 0),
    () =>
      `Given input size: ${show(self.shape.slice(-spatial))}. Calculated output size: ${show(sizes)}. Output size is too small`,
  );
  return [...lead, ...sizes];
}

/** Refuses tensors that do not have `spatial` dimensions after the channels, with or without a batch. */
export function checkImage(op: string, self: TensorMeta, spatial: number): void {
  const rank = self.shape.length;
  check(
    (rank === spatial + 1 || rank === spatial + 2) && self.shape.slice(1 - rank).every((n) => n > 0),
    () =>
      `${op}: Expected ${spatial + 1}D or ${spatial + 2}D (batch mode) tensor with optional 0 dim batch size for input, but got: ${show(self.shape)}`,
  );
}

/** In ceil mode a last window that would start in the right padding is dropped. */
function pooledSize(size: number, { kernel, stride, padding, dilation, ceil }: Window, d: number): number {
  const [s, p] = [stride[d]!, padding[d]!];
  const span = size + 2 * p - dilation[d]! * (kernel[d]! - 1) - 1;
  const count = Math.floor((span + (ceil ? s - 1 : 0)) / s) + 1;
  return ceil && (count - 1) * s >= size + p ? count - 1 : count;
}
