import {
  CONVOLUTIONS,
  type ConvolutionWindow,
  channelsLast,
  convolutionWindow,
  type Layout,
  type Spatial,
  spatial,
} from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import { loadCode } from "@pt2/registry/on-demand";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { packedBytes } from "../matmul/gemm.ts";
import { onePerChannel, readsRepeated } from "./depthwise.ts";
import { chooseAlgorithm, exactAlgorithm, planConv } from "./plan-conv.ts";
import type { ConvAlgorithm, ConvPlanner, ConvShape } from "./types.ts";

/** Every convolution of one to three dimensions, on channels-last data. */
export const convolution: WasmKernel = wasmKernel({
  ops: CONVOLUTIONS,
  readsParts: true,
  accepts: ({ input, weight, bias }) => isFloat32(input, weight, bias) && weight.shape.length <= 5,
  clamps: () => true,
  prepare(call, args) {
    const weight = call.convert(call.tensor(args.weight), "float32");
    const rank = weight.shape.length;
    const input = batched(call.convert(call.tensor(args.input), "float32"), rank);
    const window = convolutionWindow(call.call.record, args, weight.shape.slice(2));
    const bias = call.optional(args.bias);
    const denseBias = bias && call.dense(call.convert(bias, "float32"));
    const result = call.call.results[0] as TensorMeta;
    const shape = result.shape.length === rank ? result.shape : [1, ...result.shape];
    const strides = channelsLast(shape).slice(rank - result.shape.length);
    const takes = (given: readonly number[]): boolean =>
      !window.transposed && pixelStrideOf(batched({ shape: result.shape, strides: given }, rank)) !== null;
    const likely = convShape(window, input.shape, weight.shape, { shape, strides: channelsLast(shape) });
    const plan = (planner?: ConvPlanner): void => {
      const compute = (out: TensorView): void =>
        planInto(call, window, input, weight, denseBias, batched(out, rank), planner);
      float32Result(call, compute, { strides, takes });
    };
    if (algorithmOf(call, likely, weight) !== "planar") return plan();
    const loading = async (): Promise<ConvPlanner> => (await import("./planar-module.ts")).planarPlanner(call);
    return loadCode("the kernel of convolutions with few output channels", loading).then(plan);
  },
});

function planInto(
  call: KernelCall,
  window: ConvolutionWindow,
  given: TensorView,
  weight: TensorView,
  bias: TensorView | null,
  out: TensorView,
  planner?: ConvPlanner,
): void {
  if (out.shape.some((size) => size === 0)) return;
  const asGiven = convShape(window, given.shape, weight.shape, out);
  const isRepeated = readsRepeated(asGiven);
  const input = isRepeated ? repeatChannels(call, given, asGiven.outChannels / asGiven.inChannels) : given;
  const shape = isRepeated ? onePerChannel(asGiven) : asGiven;
  const algorithm = algorithmOf(call, shape, weight);
  const { view, ...strides } =
    algorithm === "strips" || algorithm === "planar" ? asItLies(input) : pixelsOf(call, input);
  const module = { kernels: call.kernels, memory: call.heap.memory };
  const plan = planConv(module, { ...shape, ...strides }, algorithm, planner);
  const key = `conv:${plan.algorithm}:${window.groups}:${weight.shape}:${window.transposed}`;
  const packed = call.prepared(weight, key, packedBytes(plan.weightBytes), (ctx, from, to) => {
    const work = ctx.scratch(plan.packScratchBytes);
    ctx.step(() => plan.pack({ address: addressOf(from), strides: weightStrides(from) }, addressOf(to), work.handle));
  });
  const parts = call.team.parts(plan.division);
  const scratchOf = partScratch(call, parts, plan.scratchBytes);
  const { lo, hi } = call.clamp;
  const compute = (part: Part): void => {
    const addresses = {
      input: addressOf(view),
      weight: addressOf(packed),
      bias: bias === null ? 0 : addressOf(bias),
      output: addressOf(out),
      scratch: scratchOf(part),
    };
    plan.run({ ...addresses, lo, hi }, part.start, part.count);
  };
  call.step(call.team.step(parts, compute));
}

function algorithmOf({ exact }: KernelCall, shape: ConvShape, { buffer }: TensorView): ConvAlgorithm {
  return exact ? exactAlgorithm(shape) : chooseAlgorithm(shape, buffer.constant !== null);
}

function convShape(
  window: ConvolutionWindow,
  input: readonly number[],
  weight: readonly number[],
  out: Layout,
): ConvShape {
  const { groups, transposed } = window;
  return {
    batch: input[0]!,
    inChannels: input[1]!,
    outChannels: transposed ? weight[1]! * groups : weight[0]!,
    outPixel: pixelStrideOf(out)!,
    groups,
    input: spatial(input.slice(2), 1),
    kernel: spatial(weight.slice(2), 1),
    stride: spatial(window.stride, 1),
    dilation: spatial(window.dilation, 1),
    padding: spatial(window.padding, 0),
    paddingEnd: spatial(window.paddingEnd, 0),
    transposed,
    outputPadding: spatial(window.outputPadding, 0),
  };
}

/** Copies each channel `times` times, one beside the other, channels-last. */
function repeatChannels(call: KernelCall, input: TensorView, times: number): TensorView {
  const [batch, channels, ...space] = input.shape as readonly [number, number, ...number[]];
  const shape = [batch, channels * times, ...space];
  const out = call.temporary("float32", shape, channelsLast(shape));
  const split = (view: TensorView, outer: number, inner: number): TensorView => {
    const [n, , ...rest] = view.strides as readonly [number, number, ...number[]];
    return { ...view, shape: [batch, channels, times, ...space], strides: [n, outer, inner, ...rest] };
  };
  call.copy(split(input, input.strides[1]!, 0), split(out, times * out.strides[1]!, out.strides[1]!));
  return out;
}

/** What a convolution reads, and how that lies. */
type Input = { readonly view: TensorView } & Pick<ConvShape, "inPixel" | "inputStrides">;

/** An input whose channels may lie anywhere. */
function asItLies(view: TensorView): Input {
  const [n, c, ...space] = view.strides as readonly [number, number, ...number[]];
  const [, h, w] = spatial(space, 0);
  return { view, inputStrides: [n, c, h, w] };
}

/** The pixels of an input, whose channels lie side by side, where they lie, if kernels can read them there; else of a copy. */
function pixelsOf(call: KernelCall, input: TensorView): Input {
  const inPixel = pixelStrideOf(input);
  if (inPixel !== null) return { view: input, inPixel };
  return { view: call.withStrides(input, channelsLast(input.shape)), inPixel: input.shape[1]! };
}

/**
 * Elements between neighboring pixels, where the channels of each lie side by side and all pixels at one distance: dense
 * channels-last data, and slices of their channels. Null elsewhere.
 */
function pixelStrideOf({ shape, strides }: Layout): number | null {
  const channels = shape[1]!;
  const dense = channelsLast(shape);
  const axes = [...shape.keys()].filter((axis) => axis !== 1 && shape[axis] !== 1);
  const last = axes.at(-1);
  if (channels > 1 && strides[1] !== 1) return null;
  if (last === undefined) return channels;
  const pixel = (strides[last]! * channels) / dense[last]!;
  const even = axes.every((axis) => strides[axis]! * channels === dense[axis]! * pixel);
  return even && Number.isInteger(pixel) && pixel >= channels ? pixel : null;
}

/** A single sample as a batch of one. */
function batched<View extends Layout>(view: View, rank: number): View {
  if (view.shape.length === rank) return view;
  return { ...view, shape: [1, ...view.shape], strides: [0, ...view.strides] };
}

function weightStrides({ strides }: TensorView): readonly [number, number, number, number, number] {
  const [o, i, ...space] = strides as readonly [number, number, ...number[]];
  const [d, h, w]: Spatial = spatial(space, 0);
  return [o, i, d, h, w];
}
