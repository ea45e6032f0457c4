import { CONVOLUTIONS, channelsLast, convolutionWindow, type Layout, type Spatial, spatial } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import { loadCode } from "@pt2/registry/on-demand";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import type { Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { packedBytes } from "../matmul/gemm.ts";
import { type Convolved, convShape, pixelStrideOf } from "./conv-shape.ts";
import { onePerChannel, readsRepeated } from "./depthwise.ts";
import { mixesPlanes } from "./few-outputs.ts";
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
    const sizes = {
      window,
      input: input.shape,
      weight: weight.shape,
      out: { shape, strides: channelsLast(shape) },
    };
    if (!window.transposed && mixesPlanes(convShape(sizes), input)) {
      return loadCode("sums of planes", () => import("./mixed-planes.ts")).then(({ planMixedPlanes }) =>
        planMixedPlanes(call, input, weight, denseBias, result.shape),
      );
    }
    const start = (videos?: Videos): void | Promise<void> => {
      const plan = (planner?: ConvPlanner): void => {
        const compute = (out: TensorView): void => {
          if (out.shape.includes(0)) return;
          const given = { window, input, weight, out: batched(out, rank) };
          planInto(call, videos?.ofImages(call, given) ?? given, denseBias, planner);
        };
        float32Result(call, compute, { strides, takes });
      };
      const likely = convShape(videos?.sizesOfImages(sizes) ?? sizes);
      if (algorithmOf(call, likely, weight) !== "planar") return plan();
      const loading = async (): Promise<ConvPlanner> => (await import("./planar-module.ts")).planarPlanner(call);
      return loadCode("the kernel of convolutions with few output channels", loading).then(plan);
    };
    return rank < 5 ? start() : loadCode("what makes images of videos", () => import("./frames.ts")).then(start);
  },
});

/** What convolutions of videos load with the first of them. */
type Videos = typeof import("./frames.ts");

function planInto(
  call: KernelCall,
  { window, input: given, weight, out }: Convolved<TensorView, TensorView>,
  bias: TensorView | null,
  planner?: ConvPlanner,
): void {
  const asGiven = convShape({ window, input: given.shape, weight: weight.shape, out });
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
