import type { Spatial } from "@pt2/engine";
import type { Kernels, Pointer } from "../../kernels.gen.ts";
import type { Division } from "../../threads/team.ts";

/** The kernel module and the memory it works on. */
export interface KernelModule {
  readonly kernels: Kernels;
  readonly memory: WebAssembly.Memory;
}

/** A convolution with everything known; `padding` is what lies before the first element, `paddingEnd` what lies behind. */
export interface ConvShape {
  readonly batch: number;
  readonly inChannels: number;
  /** Elements between neighboring pixels of the input: more than `inChannels`, its value when absent, in a slice of these. */
  readonly inPixel?: number;
  /** Elements from one to the next along batch, channels, height and width, for algorithms that take an input as it lies. */
  readonly inputStrides?: readonly [number, number, number, number];
  readonly outChannels: number;
  /** Elements between neighboring pixels of the output: more than `outChannels`, its value when absent, in a slice of others. */
  readonly outPixel?: number;
  readonly groups: number;
  readonly input: Spatial;
  readonly kernel: Spatial;
  readonly stride: Spatial;
  readonly dilation: Spatial;
  readonly padding: Spatial;
  /** The same as `padding` when absent. */
  readonly paddingEnd?: Spatial;
  readonly transposed?: boolean;
  /** Of a transposed convolution: rows added behind, to tell apart the sizes that one stride maps to the same input. */
  readonly outputPadding?: Spatial;
}

/** How a convolution is computed. */
export type ConvAlgorithm =
  | "pointwise"
  | "im2col"
  | "strips"
  | "planar"
  | "winograd2"
  | "winograd4"
  | "winograd2-stride2"
  | "depthwise"
  | "depthwise-few"
  | "depthwise-scalar"
  | "grouped"
  | "transposed";

/** PyTorch's weight, [O, I/groups, ...] or, transposed, [I, O/groups, ...]; five strides in elements. */
export interface StridedWeight {
  readonly address: Pointer;
  readonly strides: readonly [number, number, number, number, number];
}

/** Addresses and clamp of one run. Activations are channels-last; `bias` is 0 when there is none. */
export interface ConvCall {
  readonly input: Pointer;
  readonly weight: Pointer;
  readonly bias: Pointer;
  readonly output: Pointer;
  readonly scratch: Pointer;
  readonly lo: number;
  readonly hi: number;
}

/** A convolution ready to run. The packed weight depends on the weight, the shape's channels and `algorithm` only. */
export interface ConvPlan {
  readonly algorithm: ConvAlgorithm;
  /** Size of the output along depth, height and width. */
  readonly output: Spatial;
  /** Bytes of the packed weight (16-byte aligned). */
  readonly weightBytes: number;
  /** Bytes of scratch that `pack` needs. */
  readonly packScratchBytes: number;
  /** How the work may be divided among threads. */
  readonly division: Division;
  /** Bytes of scratch that `run` needs for each part (16-byte aligned). */
  readonly scratchBytes: number;
  /** Packs the weight, once at load. */
  pack(weight: StridedWeight, packed: Pointer, scratch: Pointer): void;
  /** Computes `count` of the division's items, from item `start` on; allocates nothing in the kernels' memory. */
  run(call: ConvCall, start: number, count: number): void;
}

/** Plans a convolution by one algorithm. */
export type ConvPlanner = (module: KernelModule, shape: ConvShape) => ConvPlan;
