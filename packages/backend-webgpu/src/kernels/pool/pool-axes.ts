import type { PoolingWindow } from "@pt2/engine";
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

/** Windows that slide over an input of this size. */
export function slidingWindows(window: PoolingWindow, input: readonly number[]): Windows {
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
