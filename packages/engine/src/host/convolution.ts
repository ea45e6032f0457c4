import { DTYPES } from "@pt2/format";
import type { KernelArgs } from "../plan/kernel-args.ts";
import { type ConvolutionWindow, convolutionWindow } from "../windows.ts";
import type { HostArray } from "./host-array.ts";
import { type HostCall, type HostKernel, hostKernel } from "./host-kernel.ts";

/** Convolutions in double precision, in plain loops: for float64 and integers (exact up to 2^53), which are rare. */
export const convolutionAny: HostKernel = hostKernel(
  ["aten::convolution"],
  (call, args) => [convolve(call, args)],
  ({ input: { dtype } }) => dtype === "float64" || ["int", "uint"].includes(DTYPES[dtype].kind),
);

/** The pairs of input and output positions along one axis that each kernel position connects. */
type Links = readonly (readonly (readonly [input: number, output: number])[])[];

function convolve(call: HostCall, args: KernelArgs<"aten::convolution">): Float64Array {
  const [input, weight] = [call.array(args.input), call.array(args.weight)];
  const spatial = weight.shape.length - 2;
  const outShape = call.shape(0);
  const window = convolutionWindow({}, args, weight.shape.slice(2));
  const { groups, transposed } = window;
  const axes = Array.from({ length: spatial }, (_, d) => linksOf(window, input, weight, outShape, d));
  const out = new Float64Array(outShape.reduce((n, size) => n * size, 1));
  const [inSpace, outSpace, taps] = [input.shape, outShape, weight.shape].map((shape) =>
    shape.slice(-spatial).reduce((n, size) => n * size, 1),
  ) as [number, number, number];
  const [channels, results] = [input.shape.at(-spatial - 1)!, outShape.at(-spatial - 1)!];
  const [perGroup, resultsPerGroup] = [channels / groups, results / groups];
  const batch = input.data.length / (channels * inSpace);
  const pairs = flatLinks(axes, input.shape.slice(-spatial), outShape.slice(-spatial));
  if (args.bias !== null) addBias(out, call.array(args.bias), outSpace, results);
  for (let n = 0; n < batch; n++) {
    for (let o = 0; o < results; o++) {
      const group = Math.floor(o / resultsPerGroup);
      for (let c = 0; c < perGroup; c++) {
        const channel = group * perGroup + c;
        const row = transposed ? channel * resultsPerGroup + (o % resultsPerGroup) : o * perGroup + c;
        const [from, to] = [(n * channels + channel) * inSpace, (n * results + o) * outSpace];
        for (let tap = 0; tap < taps; tap++) {
          const factor = weight.data[row * taps + tap]!;
          const { inputs, outputs } = pairs[tap]!;
          for (let i = 0; i < inputs.length; i++) out[to + outputs[i]!]! += factor * input.data[from + inputs[i]!]!;
        }
      }
    }
  }
  return out;
}

function addBias(out: Float64Array, { data }: HostArray, space: number, results: number): void {
  for (let i = 0; i < out.length; i++) out[i] = data[Math.floor(i / space) % results]!;
}

function linksOf(
  { stride: strides, padding: paddings, dilation: dilations, transposed }: ConvolutionWindow,
  input: HostArray,
  weight: HostArray,
  outShape: readonly number[],
  axis: number,
): Links {
  const rank = weight.shape.length - 2;
  const [stride, padding, dilation] = [strides[axis]!, paddings[axis]!, dilations[axis]!];
  const [inSize, outSize] = [input.shape.at(axis - rank)!, outShape.at(axis - rank)!];
  return Array.from({ length: weight.shape[2 + axis]! }, (_, k) => {
    const walked = transposed ? inSize : outSize;
    const reached = transposed ? outSize : inSize;
    return Array.from({ length: walked }, (_, at) => [at, at * stride - padding + k * dilation] as const)
      .filter(([, other]) => other >= 0 && other < reached)
      .map(([at, other]) => (transposed ? ([at, other] as const) : ([other, at] as const)));
  });
}

interface Pairs {
  readonly inputs: readonly number[];
  readonly outputs: readonly number[];
}

/** Returns the flat positions over all axes that each kernel position connects. */
function flatLinks(axes: readonly Links[], inShape: readonly number[], outShape: readonly number[]): readonly Pairs[] {
  return axes.reduce<readonly Pairs[]>(
    (outer, links, axis) =>
      outer.flatMap(({ inputs, outputs }) =>
        links.map((pairs) => ({
          inputs: inputs.flatMap((at) => pairs.map(([input]) => at * inShape[axis]! + input)),
          outputs: outputs.flatMap((at) => pairs.map(([, output]) => at * outShape[axis]! + output)),
        })),
      ),
    [{ inputs: [0], outputs: [0] }],
  );
}
