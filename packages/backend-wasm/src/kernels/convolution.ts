import { channelsLast } from "@pt2/backend/strides";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import { chooseAlgorithm, exactAlgorithm, planConv } from "../conv/plan-conv.ts";
import type { ConvShape, Spatial } from "../conv/types.ts";
import { spatial } from "../conv/window.ts";
import type { KernelCall, WasmKernel } from "../engine/kernel.ts";
import { addressOf, type Place } from "../engine/place.ts";
import { float32Result, isFloat32 } from "./float32.ts";

interface Geometry {
  readonly stride: readonly number[];
  readonly dilation: readonly number[];
  readonly groups: number;
  readonly transposed: boolean;
  readonly outputPadding: readonly number[];
  readonly padding: readonly number[];
  readonly paddingEnd: readonly number[];
}

/** Every convolution of one to three dimensions, on channels-last data. */
export const convolution: WasmKernel = {
  ops: [
    "aten::convolution",
    "aten::conv1d",
    "aten::conv2d",
    "aten::conv3d",
    "aten::conv1d.padding",
    "aten::conv2d.padding",
    "aten::conv3d.padding",
    "aten::conv_transpose1d",
    "aten::conv_transpose2d.input",
    "aten::conv_transpose3d.input",
  ],
  accepts: (args) => isFloat32(args, "input", "weight", "bias") && (args["weight"] as TensorMeta).shape.length <= 5,
  clamps: () => true,
  prepare(call) {
    const weight = call.convert(call.tensor("weight"), "float32");
    const rank = weight.shape.length;
    const input = batched(call.convert(call.tensor("input"), "float32"), rank);
    const geometry = geometryOf(call, weight.shape.slice(2));
    const source = call.withStrides(input, channelsLast(input.shape));
    const bias = call.optional("bias");
    const biasPlace = bias && call.dense(call.convert(bias, "float32"));
    const result = call.call.results[0] as TensorMeta;
    const shape = result.shape.length === rank ? result.shape : [1, ...result.shape];
    const strides = channelsLast(shape).slice(rank - result.shape.length);
    float32Result(call, (out) => planInto(call, geometry, source, weight, biasPlace, out), { strides });
  },
};

function planInto(
  call: KernelCall,
  geometry: Geometry,
  input: Place,
  weight: Place,
  bias: Place | null,
  out: Place,
): void {
  if (out.shape.some((size) => size === 0)) return;
  const shape = convShape(geometry, input.shape, weight.shape);
  const algorithm = call.exact ? exactAlgorithm(shape) : chooseAlgorithm(shape, weight.buffer.constant !== null);
  const plan = planConv({ kernels: call.kernels, memory: call.heap.memory }, shape, algorithm);
  const key = `conv:${plan.algorithm}:${geometry.groups}:${weight.shape}:${geometry.transposed}`;
  const packed = call.prepared(weight, key, plan.weightBytes, (ctx, from, to) => {
    const work = ctx.scratch(plan.packScratchBytes);
    ctx.step(() => plan.pack({ address: addressOf(from), strides: weightStrides(from) }, to.address(), work.address()));
  });
  const scratch = call.scratch(plan.scratchBytes);
  const { lo, hi } = call.clamp;
  call.step(() =>
    plan.run({
      input: addressOf(input),
      weight: packed.address(),
      bias: bias === null ? 0 : addressOf(bias),
      output: addressOf(out),
      scratch: scratch.address(),
      lo,
      hi,
    }),
  );
}

function convShape(geometry: Geometry, input: readonly number[], weight: readonly number[]): ConvShape {
  const { groups, transposed } = geometry;
  return {
    batch: input[0]!,
    inChannels: input[1]!,
    outChannels: transposed ? weight[1]! * groups : weight[0]!,
    groups,
    input: spatial(input.slice(2), 1),
    kernel: spatial(weight.slice(2), 1),
    stride: spatial(geometry.stride, 1),
    dilation: spatial(geometry.dilation, 1),
    padding: spatial(geometry.padding, 0),
    paddingEnd: spatial(geometry.paddingEnd, 0),
    transposed,
    outputPadding: spatial(geometry.outputPadding, 0),
  };
}

function geometryOf(call: KernelCall, kernel: readonly number[]): Geometry {
  const { name } = call.call.record;
  const list = (arg: string): readonly number[] => call.arg<readonly number[]>(arg);
  // PyTorch lets a list of one stand for all dimensions.
  const each = (arg: string): readonly number[] => kernel.map((_, i) => list(arg)[i] ?? list(arg)[0]!);
  const transposed = call.arg<ArgValue>("transposed") === true || name.startsWith("aten::conv_transpose");
  const dilation = each("dilation");
  const padding = call.arg<string | readonly number[]>("padding");
  const same = kernel.map((size, i) => (size - 1) * dilation[i]!);
  const [before, after] =
    padding === "same"
      ? [same.map((total) => Math.floor(total / 2)), same.map((total) => Math.ceil(total / 2))]
      : padding === "valid"
        ? [kernel.map(() => 0), kernel.map(() => 0)]
        : [each("padding"), each("padding")];
  return {
    stride: each("stride"),
    dilation,
    groups: call.arg<number>("groups"),
    transposed,
    outputPadding: transposed ? each("output_padding") : kernel.map(() => 0),
    padding: before,
    paddingEnd: after,
  };
}

/** A single sample as a batch of one. */
function batched(place: Place, rank: number): Place {
  if (place.shape.length === rank) return place;
  return { ...place, shape: [1, ...place.shape], strides: [0, ...place.strides] };
}

function weightStrides({ strides }: Place): readonly [number, number, number, number, number] {
  const [o, i, ...space] = strides as readonly [number, number, ...number[]];
  const [d, h, w]: Spatial = spatial(space, 0);
  return [o, i, d, h, w];
}
