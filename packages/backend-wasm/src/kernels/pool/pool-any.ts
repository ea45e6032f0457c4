import { offsetsOf, windowOf } from "@pt2/engine";
import { type AxisWindow, slidingWindows } from "@pt2/engine/host";
import { DTYPES, type DType, numel } from "@pt2/format";
import { type Elements, numbers } from "../../engine/element-access.ts";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { productKernels } from "../matmul/products-module.ts";

/** Sliding windows over every real dtype. */
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
    if (numel(out.shape) === 0) return;
    if (!planWindows(call, self, { out, positions }, planes, windows, override)) {
      call.step(() => {
        const { heap } = call;
        if (positions === null) average(numbers(heap, self), numbers(heap, out), planes, windows, override);
        else maximum(numbers(heap, self), numbers(heap, out), numbers(heap, positions), planes, windows);
      });
    }
    const empty = isMax ? windows.flatMap(({ isEmpty }, at) => (isEmpty ? [at] : [])) : [];
    if (empty.length > 0)
      call.step(() => writeLeast(numbers(call.heap, out), out, planes.length, windows.length, empty));
  },
});

/** The dtypes whose windows the module of rare dtypes computes, as it numbers them. */
const TYPES: Readonly<Partial<Record<DType, number>>> = { float64: 1, int32: 2, int64: 3 };
/** Of an element of a window. */
const NANOSECONDS_EACH = 1;

/** Plans windows over all planes; returns whether it does. Means are those of float64. */
function planWindows(
  call: KernelCall,
  self: TensorView,
  { out, positions }: { readonly out: TensorView; readonly positions: TensorView | null },
  planes: Int32Array,
  windows: readonly Window[],
  override: number | null,
): boolean {
  const type = TYPES[self.dtype];
  if (type === undefined || (positions === null && self.dtype !== "float64")) return false;
  const { itemsize } = DTYPES[self.dtype];
  const { poolLargest, poolMeans } = productKernels(call);
  const table = (list: readonly number[] | Int32Array): TensorView =>
    call.constant("int32", [list.length], Int32Array.from(list));
  const offsets = windows.flatMap((window) => window.offsets);
  let end = 0;
  const ends = table(
    windows.map((window) => {
      end += window.offsets.length;
      return end;
    }),
  );
  const [starts, taps] = [planes, offsets].map((list) => table(Int32Array.from(list, (at) => at * itemsize))) as [
    TensorView,
    TensorView,
  ];
  const parts = call.team.parts({ items: planes.length, nanoseconds: planes.length * end * NANOSECONDS_EACH });
  const each = windows.length;
  const from = (part: Part) =>
    [addressOf(self), addressOf(starts) + 4 * part.start, part.count, each, addressOf(ends), addressOf(taps)] as const;
  const values = ({ start }: Part): number => addressOf(out) + start * each * itemsize;
  if (positions !== null) {
    const places = table(windows.flatMap((window) => window.flat));
    const run = (part: Part): void =>
      poolLargest(
        ...([type, ...from(part), addressOf(places)] as const),
        ...([values(part), addressOf(positions) + 8 * part.start * each] as const),
      );
    call.step(call.team.step(parts, run));
    return true;
  }
  const divisors = call.constant(
    "float64",
    [each],
    Float64Array.from(windows, ({ counted }) => override ?? counted),
  );
  call.step(call.team.step(parts, (part) => poolMeans(...from(part), addressOf(divisors), values(part))));
  return true;
}

/**
 * What one output element reads: offsets in a plane, their flat positions, and the divisor. An empty window, which only a
 * maximum may have, reads the plane's first element, and has the position where it begins.
 */
interface Window {
  readonly isEmpty: boolean;
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
  const every = axes.reduce<readonly (Window & { readonly first: number })[]>(
    (outer, { windows, stride, size }) =>
      outer.flatMap((window) =>
        windows.map(({ positions, first, counted }) => ({
          isEmpty: window.isEmpty || positions.length === 0,
          offsets: window.offsets.flatMap((offset) => positions.map((at) => offset + at * stride)),
          flat: window.flat.flatMap((flat) => positions.map((at) => flat * size + at)),
          first: window.first * size + first,
          counted: window.counted * counted,
        })),
      ),
    [{ isEmpty: false, offsets: [0], flat: [0], first: 0, counted: 1 }],
  );
  return every.map((window) => (window.isEmpty ? { ...window, offsets: [0], flat: [window.first] } : window));
}

/** The maximum of no element is the least value that the dtype has. */
function writeLeast(
  to: Elements<number>,
  { dtype }: TensorView,
  planes: number,
  each: number,
  empty: readonly number[],
): void {
  const { kind, itemsize } = DTYPES[dtype];
  const least = kind === "float" ? Number.NEGATIVE_INFINITY : kind === "int" ? -(2 ** (8 * itemsize - 1)) : 0;
  for (let plane = 0; plane < planes; plane++) for (const at of empty) to.set(plane * each + at, least);
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

/** The first of equal maxima wins, and the last NaN over everything. */
function maximum(
  from: Elements<number>,
  to: Elements<number>,
  positions: Elements<number>,
  planes: Int32Array,
  windows: readonly Window[],
): void {
  let at = 0;
  for (const plane of planes) {
    for (const { offsets, flat } of windows) {
      let best = 0;
      for (let i = 1; i < offsets.length; i++) {
        const x = from.get(plane + offsets[i]!);
        if (x > from.get(plane + offsets[best]!) || Number.isNaN(x)) best = i;
      }
      to.set(at, from.get(plane + offsets[best]!));
      positions.set(at++, flat[best]!);
    }
  }
}
