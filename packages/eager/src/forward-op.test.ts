import type { Tensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { floats, ints, programOf, registryOf, run, someFloats } from "@pt2/conformance";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import { eagerOps } from "./eager-ops.ts";
import { forwardOp } from "./forward-op.ts";

const backend = wasm({ worker: false });
afterAll(() => backend.dispose());

const soft = await forwardOp(
  "mine::soft(Tensor self, float sharpness=2.0, int? dim=None) -> (Tensor, Tensor)",
  ({ self, sharpness, dim }, { aten }) => {
    expectTypeOf(self).toEqualTypeOf<Tensor>();
    expectTypeOf(sharpness).toEqualTypeOf<number>();
    expectTypeOf(dim).toEqualTypeOf<number | null>();
    const scaled = aten.mul(self, sharpness);
    return [self.shape.length > 1 ? aten.softmax(scaled, dim ?? -1) : scaled, aten.amax(self)];
  },
);
const sets = [{ name: "mine", ops: [soft] }];

const listOf = async (tensor: Tensor): Promise<unknown> => (await tensor.cpu()).tolist();

describe("a forward rule", () => {
  it("is an op for eager calls", async () => {
    const { aten, ops } = await eagerOps(backend, { ops: sets });
    const x = someFloats(3, 4);
    const [values, most] = ops.mine!.soft!<readonly Tensor[]>(x, { sharpness: 0.5 });
    expect(await listOf(values!)).toEqual(await listOf(aten.softmax(aten.mul(x, 0.5), -1)));
    expect(await listOf(most!)).toEqual(await listOf(aten.amax(x)));
    const [same] = ops.mine!.soft!<readonly Tensor[]>(floats([2], 1, 2));
    expect(await listOf(same!)).toEqual([2, 4]);
  });

  it("is an op for programs, which contain what it calls", async () => {
    const program = programOf(`
  user_input %x: f32[2]
  %y: f32[2], %m: f32[] = mine::soft(self=%x, sharpness=3.0)
  return %y, %m`);
    const executable = await backend.compile({ program, weights: new Map(), registry: registryOf([], sets) });
    expect(await run(executable, floats([2], 1, 2))).toEqual([[3, 6], [2]]);
    expect(await executable.explain()).toMatch(/aten::mul/);
    await executable.dispose();
  });

  it("may call an op that has such a rule itself", async () => {
    const twice = await forwardOp(
      "mine::twice(Tensor self) -> Tensor",
      ({ self }, { aten, ops }) => {
        const [once] = ops.mine!.soft!<readonly Tensor[]>(self);
        return aten.add(once!, ops.mine!.soft!<readonly Tensor[]>(once!)[1]!);
      },
      sets,
    );
    const { ops } = await eagerOps(backend, { ops: [{ name: "mine", ops: [soft, twice] }] });
    expect(await listOf(ops.mine!.twice!(floats([2], 1, 2)))).toEqual([6, 8]);
  });

  it.each<[string, Parameters<typeof forwardOp<"mine::bad(Tensor self) -> Tensor">>[1], RegExp]>([
    ["reads a tensor", (async ({ self }: { self: Tensor }) => await self.read()) as never, /rule that is asynchronous/],
    [
      "calls an op with sizes that depend on data",
      ({ self }, { aten }) => aten.nonzero(self) as never,
      /nonzero has results that depend on data/,
    ],
    [
      "has a tensor of its own",
      ({ self }, { aten }) => aten.add(self, floats([1], 1)),
      /tensor with elements of its own/,
    ],
  ])("that %s is refused", async (_, rule, message) => {
    const bad = await forwardOp("mine::bad(Tensor self) -> Tensor", rule);
    const { ops } = await eagerOps(backend, { ops: [{ name: "mine", ops: [bad] }] });
    expect(() => ops.mine!.bad!(ints([2], 1, 2))).toThrow(message);
  });
});
