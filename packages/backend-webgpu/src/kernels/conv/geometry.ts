import { type ConvolutionArgs, convolutionWindow, type Spatial, spatial, withinReach } from "@pt2/engine";
import type { TensorMeta } from "@pt2/registry";
import type { KernelCall } from "../../engine/kernel.ts";
import type { TensorView } from "../../engine/tensor-view.ts";
import type { AccessOptions, Shader } from "../../shader/shader.ts";

/** A convolution of one to three dimensions with everything known. */
export interface ConvGeometry {
  readonly batch: number;
  readonly groups: number;
  /** Channels of one group, in and out. */
  readonly inChannels: number;
  readonly outChannels: number;
  readonly input: Spatial;
  readonly output: Spatial;
  readonly kernel: Spatial;
  readonly stride: Spatial;
  readonly dilation: Spatial;
  /** What lies before the first element. */
  readonly padding: Spatial;
  readonly transposed: boolean;
}

/** A convolution's tensors, seen with three spatial dimensions. */
export interface ConvTensors {
  /** [N, C, D, H, W] with any strides. */
  readonly input: TensorView;
  /** [groups, out, in, D, H, W], channels of one group, with any strides. */
  readonly weight: TensorView;
  readonly bias: TensorView | null;
  /** Where results go; null for the result of the call. */
  readonly output: TensorView | null;
}

/** Binds what a convolution writes as `out`. */
export function bindOutput(shader: Shader, { output }: ConvTensors, options: AccessOptions = {}): void {
  if (output === null) shader.result("out", 0, options);
  else shader.write("out", output, options);
}

/** Reads the arguments of any of the convolution ops. */
export function geometryOf(
  call: KernelCall,
  args: ConvolutionArgs & { readonly input: TensorMeta; readonly weight: TensorMeta },
): ConvGeometry {
  const input = call.tensor(args.input);
  const weight = call.tensor(args.weight);
  const kernel = weight.shape.slice(2);
  const batched = input.shape.length === weight.shape.length;
  const given = convolutionWindow(call.call.record, args, kernel);
  const { groups, transposed } = given;
  const { shape } = call.call.results[0] as TensorMeta;
  const { stride, dilation, padding } = withinReach(given, (transposed ? shape : input.shape).slice(-kernel.length));
  const [rows, columns] = weight.shape as readonly [number, number];
  return {
    batch: batched ? input.shape[0]! : 1,
    groups,
    inChannels: transposed ? rows / groups : columns,
    outChannels: transposed ? columns : rows / groups,
    input: spatial(input.shape.slice(-kernel.length), 1),
    output: spatial(shape.slice(-kernel.length), 1),
    kernel: spatial(kernel, 1),
    stride: spatial(stride, 1),
    dilation: spatial(dilation, 1),
    padding: spatial(padding, 0),
    transposed,
  };
}

/** The input as [N, C, D, H, W]; `rank` is the weight's. */
export function inputOf(view: TensorView, rank: number): TensorView {
  const { shape, strides } = view;
  const first = shape.length - rank + 2;
  return {
    ...view,
    shape: [first === 2 ? shape[0]! : 1, shape[first - 1]!, ...spatial(shape.slice(first), 1)],
    strides: [first === 2 ? strides[0]! : 0, strides[first - 1]!, ...spatial(strides.slice(first), 0)],
  };
}

/** The weight as [groups, out, in, D, H, W]. */
export function weightOf(view: TensorView, { groups, inChannels, outChannels, transposed }: ConvGeometry): TensorView {
  const { shape, strides } = view;
  const [first, second] = strides as readonly [number, number];
  const rows = transposed ? inChannels : outChannels;
  const [o, i] = transposed ? [second, first] : [first, second];
  return {
    ...view,
    shape: [groups, outChannels, inChannels, ...spatial(shape.slice(2), 1)],
    strides: [rows * first, o, i, ...spatial(strides.slice(2), 0)],
  };
}

/** Whether there is a depth to walk; with padding even a depth of 1 may lie beyond the input. */
export function isDeep({ input, kernel, output, padding }: ConvGeometry): boolean {
  return input[0] > 1 || kernel[0] > 1 || output[0] > 1 || padding[0] > 0;
}
