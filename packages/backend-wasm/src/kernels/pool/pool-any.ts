import { offsetsOf, windowOf } from "@pt2/engine";
import { type AxisWindow, slidingWindows } from "@pt2/engine/host";
import { bigints, type Elements, numbers } from "../../engine/element-access.ts";
import { type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";

/** Sliding windows over every real dtype, in plain loops. */
export const poolAny: WasmKernel = wasmKernel({
  ops: [
    "aten::max_pool1d_with_indices",
    "aten::max_pool2d_with_indices",
    "aten::max_pool3d_with_indices",
    "aten::avg_pool2d",
    "aten::avg_pool3d",
  ],
  prepare(call, args) {
    const { rank: spatial, reduce } = windowOf(call.call.record);
    const self = call.tensor(args.self);
    const out = call.output(0);
    const windows = combinations(axesOf(spatial, args, self, out));
    const isMax = reduce === "max";
    const positions = isMax ? call.output(1) : null;
    const rank = self.shape.length;
    const planes = offsetsOf({
      shape: self.shape.slice(0, rank - spatial),
      strides: self.strides.slice(0, rank - spatial),
    });
    const override = args.divisor_override ?? null;
    call.step(() => {
      const { heap } = call;
      if (positions === null) average(numbers(heap, self), numbers(heap, out), planes, windows, override);
      else if (self.dtype === "int64") {
        maximum(bigints(heap, self), bigints(heap, out), numbers(heap, positions), planes, windows);
      } else maximum(numbers(heap, self), numbers(heap, out), numbers(heap, positions), planes, windows);
    });
  },
});

/** What one output element reads: offsets in a plane, their flat positions, and the divisor. */
interface Window {
  readonly offsets: readonly number[];
  readonly flat: readonly number[];
  readonly counted: number;
}

interface Axis {
  readonly windows: readonly AxisWindow[];
  readonly stride: number;
  readonly size: number;
}

/** Where windows lie. Those of a mean have no dilation, and those of a maximum do not count padding. */
interface WindowArgs {
  readonly kernel_size: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[] | undefined;
  readonly count_include_pad: boolean | undefined;
}

function axesOf(spatial: number, args: WindowArgs, self: TensorView, out: TensorView): readonly Axis[] {
  const kernel = args.kernel_size;
  const first = self.shape.length - spatial;
  const each = (list: readonly number[], d: number, fallback: number): number => list[d] ?? list[0] ?? fallback;
  return Array.from({ length: spatial }, (_, d) => {
    const extent = kernel[d] ?? kernel[0]!;
    const size = self.shape[first + d]!;
    const windows = slidingWindows({
      size,
      outputs: out.shape[first + d]!,
      kernel: extent,
      stride: each(args.stride, d, extent),
      padding: each(args.padding, d, 0),
      dilation: each(args.dilation ?? [], d, 1),
      countIncludePad: args.count_include_pad ?? false,
    });
    return { windows, stride: self.strides[first + d]!, size };
  });
}

/** Windows over all axes, row-major. */
function combinations(axes: readonly Axis[]): readonly Window[] {
  return axes.reduce<readonly Window[]>(
    (outer, { windows, stride, size }) =>
      outer.flatMap((window) =>
        windows.map(({ positions, counted }) => ({
          offsets: window.offsets.flatMap((offset) => positions.map((at) => offset + at * stride)),
          flat: window.flat.flatMap((flat) => positions.map((at) => flat * size + at)),
          counted: window.counted * counted,
        })),
      ),
    [{ offsets: [0], flat: [0], counted: 1 }],
  );
}

function average(
  from: Elements<number>,
  to: Elements<number>,
  planes: Int32Array,
  windows: readonly Window[],
  override: number | null,
): void {
  let at = 0;
  for (const plane of planes) {
    for (const { offsets, counted } of windows) {
      let sum = 0;
      for (const offset of offsets) sum += from.get(plane + offset);
      to.set(at++, sum / (override ?? counted));
    }
  }
}

/** The first of equal maxima wins, and NaN wins over everything. */
function maximum<T extends number | bigint>(
  from: Elements<T>,
  to: Elements<T>,
  positions: Elements<number>,
  planes: Int32Array,
  windows: readonly Window[],
): void {
  let at = 0;
  for (const plane of planes) {
    for (const { offsets, flat } of windows) {
      let best = 0;
      for (let i = 1; i < offsets.length; i++) {
        const [x, most] = [from.get(plane + offsets[i]!), from.get(plane + offsets[best]!)];
        if (x > most || (Number.isNaN(x) && !Number.isNaN(most))) best = i;
      }
      to.set(at, from.get(plane + offsets[best]!));
      positions.set(at++, flat[best]!);
    }
  }
}
