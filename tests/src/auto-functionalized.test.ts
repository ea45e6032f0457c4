// What `run_decompositions()` makes of users' ops that write to arguments, with handlers of these ops.
import { hostTensor } from "@pt2/backend";
import { weightOf } from "@pt2/conformance";
import { archiveToBytes } from "@pt2/format";
import { exportProgram, parse } from "@pt2/graph";
import { defineOp } from "@pt2/registry";
import { load, type OpHandler, type Tensor, tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";

const mine = {
  name: "mine",
  ops: [
    defineOp("mine::add(Tensor(a!) x, Tensor y) -> ()"),
    defineOp("mine::scale(Tensor(a!) x, float k) -> Tensor", { infer: ({ x }) => ({ dtype: x.dtype, shape: [] }) }),
  ],
};

const data = (argument: unknown): Float32Array => (argument as { readonly data: Float32Array }).data;

const handlers: readonly OpHandler[] = [
  {
    ops: ["mine::add"],
    compile:
      () =>
      ({ args }) => {
        data(args.y).forEach((y, i) => {
          data(args.x)[i]! += y;
        });
        return undefined as never;
      },
  },
  {
    ops: ["mine::scale"],
    compile:
      () =>
      ({ args }) => {
        const x = data(args.x);
        for (let i = 0; i < x.length; i++) x[i]! *= 2;
        return { dtype: "float32", shape: [], data: Float32Array.of(x.reduce((sum, each) => sum + each, 0)) };
      },
  },
];

const TEXT = `program {
  buffer "total" = %total: f32[3]
  user_input %x: f32[2, 3]
  %row: f32[3] = aten::select.int(%x, dim=0, index=0)
  %y: f32[2, 3] = aten::mul.Tensor(%x, other=1)
  first: none, %sum: f32[3] = higher_order::auto_functionalized_v2(&mine::add, y=%row, _x_base_index=0, _all_bases=[%total])
  second: %s: f32[], %z: f32[2, 3] = higher_order::auto_functionalized_v2(&mine::scale, k=2.0, _x_base_index=0, _x_slice_dim=0, _x_slice_start=1, _x_slice_end=2, _all_bases=[%y])
  return %sum -> buffer_mutation "total", %sum, %y, %z, %s
}`;

async function bytes(): Promise<Uint8Array> {
  const program = exportProgram(parse(TEXT));
  const total = hostTensor("float32", [3], new Float32Array(3));
  const weights = new Map([["total", { ...weightOf("total", total), kind: "buffer" as const }]]);
  return await archiveToBytes({ models: [{ program, weights }] });
}

const read = async (results: readonly unknown[]): Promise<readonly (readonly number[])[]> =>
  await Promise.all(results.map(async (result) => Array.from((await (result as Tensor).read()) as Float32Array)));

for (const { name, missing, create, precision } of await testedBackends()) {
  describe.skipIf(missing !== null)(name, () => {
    it("a user's op writes to a copy of a buffer, and to a view of a copy", async () => {
      const options = { backend: await create(), ops: [mine], handlers, ...(precision && { precision }) };
      await using model = await load(await bytes(), options);
      const x = tensor("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));
      const same = [[1, 2, 3, 4, 5, 6], [1, 2, 3, 8, 10, 12], [30]];
      expect(await read(await model.runFlat([x]))).toEqual([[1, 2, 3], ...same]);
      expect(await read(await model.runFlat([x]))).toEqual([[2, 4, 6], ...same]);
    });
  });
}
