import type { KernelCall } from "../../engine/kernel.ts";
import type { Shader } from "../../shader/shader.ts";

/** The axes of a window, the last one first: most tensors have only two. */
export type Axis = "d" | "h" | "w";

/** The windows of a pooling op: along each axis, which inputs an output looks at. */
export interface Windows {
  /** Spatial dimensions. */
  readonly rank: number;
  /** Binds what the functions need. */
  bind(shader: Shader): void;
  /**
   * WGSL of `first_a(o)`, `last_a(o)` and `extent_a(o)`: the first input of window `o`, one behind its last, and how many
   * a mean counts there. Inputs of a window are `p.step_a` apart.
   */
  readonly functions: string;
}

/** The axes of a window of so many dimensions. */
export function axesOf(rank: number): readonly Axis[] {
  return (["d", "h", "w"] as const).slice(3 - rank);
}

/** Dimensions that a pooling op's name says. */
export function poolRank(call: KernelCall): number {
  return Number(/pool(\d)d/.exec(call.call.record.name)![1]);
}

/** A sliding window, with one number for each axis. */
export interface SlidingWindow {
  readonly kernel: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  /** Means also divide by the padding inside the window. */
  readonly countsPadding: boolean;
}

/** Reads the window of ops such as `max_pool2d` and `avg_pool2d`. */
export function slidingWindow(call: KernelCall): SlidingWindow {
  const rank = poolRank(call);
  const kernel = each(call, "kernel_size", rank, []);
  const list = (name: string, fill: number): readonly number[] =>
    each(call, name, rank, new Array<number>(rank).fill(fill));
  return {
    kernel,
    stride: each(call, "stride", rank, kernel),
    padding: list("padding", 0),
    dilation: list("dilation", 1),
    countsPadding: call.arg<boolean | undefined>("count_include_pad") === true,
  };
}

/** Windows that slide over an input of this size. */
export function slidingWindows(window: SlidingWindow, input: readonly number[]): Windows {
  const { kernel, stride, padding, dilation, countsPadding } = window;
  const rank = kernel.length;
  return {
    rank,
    bind(shader) {
      for (const [d, axis] of axesOf(rank).entries()) {
        shader.i32(`size_${axis}`, input[d]!).i32(`step_${axis}`, dilation[d]!).i32(`stride_${axis}`, stride[d]!);
        shader.i32(`pad_${axis}`, padding[d]!).i32(`reach_${axis}`, (kernel[d]! - 1) * dilation[d]! + 1);
      }
    },
    functions: axesOf(rank)
      .map((a) => {
        // In ceil mode the last window may reach beyond the padding, which never counts.
        const extent = countsPadding
          ? `let at = i32(o) * p.stride_${a} - p.pad_${a}; return min(at + p.reach_${a}, p.size_${a} + p.pad_${a}) - at;`
          : `return last_${a}(o) - first_${a}(o);`;
        return `fn first_${a}(o: u32) -> i32 {
  let at = i32(o) * p.stride_${a} - p.pad_${a};
  return select(at, at + (p.step_${a} - 1 - at) / p.step_${a} * p.step_${a}, at < 0);
}
fn last_${a}(o: u32) -> i32 { return min(i32(o) * p.stride_${a} - p.pad_${a} + p.reach_${a}, p.size_${a}); }
fn extent_${a}(o: u32) -> i32 { ${extent} }
`;
      })
      .join(""),
  };
}

/** An argument with one number for each axis; PyTorch lets a list of one stand for all, and an empty one for `fill`. */
function each(call: KernelCall, name: string, rank: number, fill: readonly number[]): readonly number[] {
  const given = call.arg<readonly number[] | undefined>(name) ?? [];
  return Array.from({ length: rank }, (_, d) => given[d] ?? given[0] ?? fill[d]!);
}

/** Windows that divide each axis as evenly as possible, as in `adaptive_avg_pool2d`. */
export function adaptiveWindows(rank: number, input: readonly number[], output: readonly number[]): Windows {
  return {
    rank,
    bind(shader) {
      for (const [d, axis] of axesOf(rank).entries()) {
        shader.i32(`size_${axis}`, input[d]!).i32(`count_${axis}`, output[d]!).i32(`step_${axis}`, 1);
      }
    },
    functions: axesOf(rank)
      .map(
        (a) => `fn first_${a}(o: u32) -> i32 { return i32(o) * p.size_${a} / p.count_${a}; }
fn last_${a}(o: u32) -> i32 { return ((i32(o) + 1) * p.size_${a} + p.count_${a} - 1) / p.count_${a}; }
fn extent_${a}(o: u32) -> i32 { return last_${a}(o) - first_${a}(o); }
`,
      )
      .join(""),
  };
}
