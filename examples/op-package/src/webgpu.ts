import { type WebgpuKernel, webgpuKernel } from "@pt2/backend-webgpu";
import type { OpSet } from "@pt2/registry";
import { scan as portable } from "./index.ts";
import { linearRecurrence } from "./linear-recurrence.ts";

/** One invocation goes along one row, which is worth it for as many rows as a GPU has lanes. */
const ROWS = 256;

const kernel: WebgpuKernel = webgpuKernel({
  ops: [linearRecurrence],
  accepts: ({ input }) => input.dtype === "float32" && rowsOf(input.shape) >= ROWS,
  prepare(call, { decay, input }) {
    const shader = call.shader("linear_recurrence");
    shader.read("decay", call.tensor(decay)).read("x", call.tensor(input)).u32("size", input.shape.at(-1)!);
    shader.result("states");
    shader.forEach(
      rowsOf(input.shape),
      `var state = 0.0;
  for (var t = i * p.size; t < (i + 1u) * p.size; t++) {
    state = decay(t) * state + x(t);
    set_states(t, state);
  }`,
    );
  },
});

function rowsOf(shape: readonly number[]): number {
  return shape.slice(0, -1).reduce((product, size) => product * size, 1);
}

/** The op with a WGSL kernel. */
export const scan: OpSet = { ...portable, kernels: { webgpu: [kernel] } };
