import { type ConvolutionWindow, channelsLast, convolutionWindow, withinReach } from "@pt2/engine";
import { contiguousStrides, type DType, numel } from "@pt2/format";
import type { TensorMeta } from "@pt2/registry";
import { scalar, typeExpr } from "@pt2/registry/scalar";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { resultIn } from "../float32.ts";
import { FLOAT64_PRODUCT, INT32_PRODUCT, INT64_PRODUCT, type Product, planProduct } from "../matmul/product.ts";
import { type Reach, reachOf } from "./reach.ts";
import { planTransposedAny } from "./transposed-any.ts";

/** Integers of fewer bits wrap around as the low ones of int32 do. */
const PRODUCTS: Readonly<Partial<Record<DType, Product>>> = {
  float64: FLOAT64_PRODUCT,
  int64: INT64_PRODUCT,
  int32: INT32_PRODUCT,
  int16: INT32_PRODUCT,
  int8: INT32_PRODUCT,
  uint8: INT32_PRODUCT,
};

/** Bytes of windows that are multiplied at once: they stay in the caches. */
const BLOCK_BYTES = 512 * 1024;
/** Rows that a block has at least, which all read the weight. */
const LEAST_ROWS = 64;

/** Convolutions of float64 and of integers: windows of channels-last pixels are copied side by side, and multiplied by the weight. */
export const convolutionAny: WasmKernel = wasmKernel({
  ops: ["aten::convolution"],
  accepts: ({ input }) => input.dtype in PRODUCTS,
  prepare(call, args) {
    const kind = PRODUCTS[args.input.dtype]!;
    const [weight, input] = [args.weight, args.input].map((each) => call.convert(call.tensor(each), kind.result));
    const { shape } = call.call.results[0] as TensorMeta;
    const window = convolutionWindow({}, args, weight!.shape.slice(2));
    const sizes = (window.transposed ? shape : input!.shape).slice(2);
    const bias = call.optional(args.bias);
    const compute = (out: TensorView): void => {
      if (numel(out.shape) === 0) return;
      const within = withinReach(window, sizes);
      // Windows of a transposed one would multiply zeros between elements by the weight: an infinity would show.
      if (window.transposed && kind === FLOAT64_PRODUCT) planTransposedAny(call, within, input!, weight!, out);
      else planWindows(call, kind, within, input!, weight!, out);
      if (bias !== null) addBias(call, call.convert(bias, kind.result), out);
    };
    resultIn(kind.result, call, compute, { strides: channelsLast(shape) });
  },
});

/** Plans the products of all windows, in blocks. */
function planWindows(
  call: KernelCall,
  kind: Product,
  window: ConvolutionWindow,
  input: TensorView,
  weight: TensorView,
  out: TensorView,
): void {
  const { groups } = window;
  const kernel = weight.shape.slice(2);
  const outSpace = out.shape.slice(2);
  const reach = kernel.map((_, axis) => reachOf(window, input.shape[axis + 2]!, kernel[axis]!, outSpace[axis]!, axis));
  const pixels = spread(call, kind.result, input, reach);
  const [batch, channels] = input.shape as readonly [number, number];
  const [each, results] = [channels / groups, out.shape[1]! / groups];
  const depth = each * numel(kernel);
  const factors = weightRows(call, window, weight, [groups, depth, results]);
  const [n, c, ...space] = pixels.strides as readonly [number, number, ...number[]];
  const steps = space.map((stride, axis) => stride * reach[axis]!.step);
  const taps = space.map((stride, axis) => stride * reach[axis]!.dilation);

  // Blocks are whole pictures, or parts of one along its first axis.
  const most = Math.max(LEAST_ROWS, Math.floor(BLOCK_BYTES / 8 / (depth * groups)));
  const lines = outSpace[0]!;
  const inner = outSpace.slice(1);
  const pictures = Math.max(1, Math.floor(most / numel(outSpace)));
  const height = pictures > 1 ? lines : Math.min(lines, Math.max(1, Math.ceil(most / numel(inner))));
  const room = (rows: number, width: number): TensorView => call.temporary(kind.result, [groups, rows, width]);
  const rowsOf = (count: number, high: number): number => count * high * numel(inner);
  const largest = rowsOf(Math.min(pictures, batch), height);
  // Single positions that lie side by side are their own windows.
  const isCopied = numel(kernel) > 1 || steps.some((step, axis) => step !== space[axis]) || groups > 1 || c !== 1;
  const windows = isCopied ? room(largest, depth) : null;
  const products = groups > 1 ? room(largest, results) : null;
  for (let picture = 0; picture < batch; picture += pictures) {
    const count = Math.min(pictures, batch - picture);
    for (let line = 0; line < lines; line += height) {
      const high = Math.min(height, lines - line);
      const rows = rowsOf(count, high);
      const from: TensorView = {
        ...pixels,
        offset: pixels.offset + picture * n + line * steps[0]!,
        shape: [groups, count, high, ...inner, each, ...kernel],
        strides: [each * c, n, ...steps, c, ...taps],
      };
      const a = dense(windows ?? from, [groups, rows, depth]);
      if (windows !== null) call.copy(from, dense(windows, from.shape));
      const first = (picture * lines + line) * numel(inner) * groups * results;
      const to = { ...out, offset: out.offset + first, shape: [groups, rows, results] };
      if (products === null) planProduct(call, kind, dense(to, to.shape), a, factors);
      else {
        const product = dense(products, to.shape);
        planProduct(call, kind, product, a, factors);
        call.copy(product, { ...to, strides: [results, groups * results, 1] });
      }
    }
  }
}

/** The first elements in memory, as a contiguous tensor. */
function dense(view: TensorView, shape: readonly number[]): TensorView {
  return { ...view, shape, strides: contiguousStrides(shape) };
}

/** Copies an input to channels-last pixels with what a window reaches around and between them, which is zero. */
function spread(call: KernelCall, dtype: DType, input: TensorView, reach: readonly Reach[]): TensorView {
  const { shape } = input;
  const all = [...shape.slice(0, 2), ...reach.map(({ size }) => size)];
  const isWhole = reach.every(
    ({ size, first, at, apart }, axis) => first + at === 0 && apart === 1 && size === shape[axis + 2],
  );
  if (isWhole) return call.withStrides(input, channelsLast(shape));
  const out = call.temporary(dtype, all, channelsLast(all));
  call.step(() => {
    const from = addressOf(out);
    call.heap.u8.fill(0, from, from + numel(all) * (dtype === "int32" ? 4 : 8));
  });
  const [n, c, ...space] = out.strides as readonly [number, number, ...number[]];
  const inside = [...shape.slice(0, 2), ...reach.map(({ count }) => count)];
  if (numel(inside) === 0) return out;
  const from = reach.reduce((offset, { first }, axis) => offset + first * input.strides[axis + 2]!, input.offset);
  const to = reach.reduce((offset, { at }, axis) => offset + at * space[axis]!, out.offset);
  const apart = space.map((stride, axis) => stride * reach[axis]!.apart);
  call.copy(
    { ...input, offset: from, shape: inside },
    { ...out, offset: to, shape: inside, strides: [n, c, ...apart] },
  );
  return out;
}

/** The weight as a matrix for each group, whose rows are the positions of a window and the channels at each, in this order. */
function weightRows(
  call: KernelCall,
  { groups, transposed }: ConvolutionWindow,
  weight: TensorView,
  shape: readonly [groups: number, depth: number, results: number],
): TensorView {
  const [, depth, results] = shape;
  const kernel = weight.shape.slice(2);
  const taps = numel(kernel);
  const each = depth / taps;
  const [outer, inner, ...space] = weight.strides as readonly [number, number, ...number[]];
  // A transposed convolution has its inputs first, and is one of the mirrored weight.
  const strides = transposed ? [each * outer, outer, inner] : [results * outer, inner, outer];
  const key = `windows:${transposed}:${groups}:${weight.shape}`;
  return call.prepared(weight, key, { dtype: weight.dtype, shape }, (ctx, from, to) => {
    for (let tap = 0; tap < taps; tap++) {
      let at = from.offset;
      for (let axis = kernel.length - 1, left = tap; axis >= 0; axis--) {
        const size = kernel[axis]!;
        const place = left % size;
        at += (transposed ? size - 1 - place : place) * space[axis]!;
        left = (left - place) / size;
      }
      const part = [groups, each, results];
      const rows = {
        ...to,
        offset: to.offset + tap * results,
        shape: part,
        strides: [depth * results, taps * results, 1],
      };
      ctx.copy({ ...from, offset: at, shape: part, strides }, rows);
    }
  });
}

function addBias(call: KernelCall, bias: TensorView, out: TensorView): void {
  const { dtype } = out;
  const sum = typeExpr(scalar.add(scalar.input(0), scalar.input(1)), {
    compute: dtype,
    operands: [dtype, dtype],
    result: dtype,
  });
  const strides = out.shape.map((_, d) => (d === 1 ? bias.strides[0]! : 0));
  call.elementwise(out, [out, { ...bias, shape: out.shape, strides }], sum);
}
