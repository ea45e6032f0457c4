import { describe, expect, test } from "vitest";
import { describeWithDevice } from "../device.test-helper.ts";
import { adapterOf } from "../engine/adapter.ts";
import type { TensorView } from "../engine/tensor-view.ts";
import type { Dispatch } from "../shader/dispatch.ts";
import { Shader, type ShaderHost } from "../shader/shader.ts";
import { runDispatch } from "../wgsl/elementwise.test-helper.ts";
import { maxOf, sumOf, WorkgroupReduction } from "./cooperative.ts";

const GROUPS = 3;

await describeWithDevice("a workgroup", (device) => {
  const adapter = adapterOf(device);
  const ways = [
    ...(adapter.subgroups ? ["subgroups"] : []),
    "memory",
    ...(adapter.subgroupSize > 0 ? ["one subgroup"] : []),
  ];
  describe.each(ways)("by %s", (way) => {
    const own = { subgroups: way !== "memory", subgroupSize: way === "one subgroup" ? adapter.subgroupSize : 0 };
    // The smallest workgroup is a part of a subgroup.
    const sizes = way === "one subgroup" ? [adapter.subgroupSize] : [4, 32, 64, 128, 256];

    test.each(sizes)(
      "a workgroup of %i gives every invocation the sum and the maximum, one after the other",
      async (lanes) => {
        const view: TensorView = {
          dtype: "float32",
          shape: [GROUPS, lanes, 3],
          strides: [3 * lanes, 3, 1],
          offset: 0,
          buffer: { bytes: 12 * GROUPS * lanes, handle: {} as GPUBuffer, constant: null },
        };
        const dispatches: Dispatch[] = [];
        const host: ShaderHost = {
          adapter,
          result: unused,
          guard: unused,
          add: (dispatch) => dispatches.push(dispatch),
        };
        const shader = new Shader("workgroup", host).write("out", view);
        const workgroup = new WorkgroupReduction(lanes, { ...adapter, ...own });
        const declarations = [
          workgroup.declare("workgroup_sum", sumOf("f32")),
          workgroup.declare("workgroup_max", maxOf("f32", "-1e9f")),
          workgroup.declare("vectors", sumOf("vec2<f32>")),
        ].join("");
        const body = `let x = f32(lane * 37u % 101u + group);
  let at = 3u * (group * ${lanes}u + lane);
  set_out(at, workgroup_sum(lane, x));
  set_out(at + 1u, workgroup_max(lane, x));
  set_out(at + 2u, vectors(lane, vec2(-x, 1f)).x);`;
        workgroup.run(shader, GROUPS, body, declarations);
        const [{ code, params, workgroups }] = dispatches as [Dispatch];
        const words = new Uint32Array((params as Uint8Array<ArrayBuffer>).buffer);
        const output = await runDispatch(device, { code, params: words, workgroups }, [], 12 * GROUPS * lanes);
        const expected = Array.from({ length: GROUPS }, (_, group) => {
          const values = Array.from({ length: lanes }, (__, lane) => ((lane * 37) % 101) + group);
          const sum = values.reduce((all, value) => all + value, 0);
          return values.map(() => [sum, Math.max(...values), -sum]);
        });
        expect([...new Float32Array(output.buffer)]).toEqual(expected.flat(2));
      },
    );
  });
});

function unused(): never {
  throw new Error("this test has no such thing");
}
