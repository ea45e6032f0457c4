import type { Backend, Tensor } from "@pt2/backend";
import { type EagerOps, eagerOps } from "@pt2/eager";
import type { HandlerTensor, OpHandler } from "@pt2/registry";
import { load, type Model, randn, tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { fixturePath } from "./fixture.ts";

const clip: OpHandler["rewrite"] = ({ self }, b) => b.tensor("aten::clamp", { self: self as never, min: 0, max: 0.25 });

for (const { name, missing, create } of await testedBackends()) {
  describe.skipIf(missing !== null)(`eager calls and models on ${name}`, () => {
    let backend: Backend;
    let eager: EagerOps;
    let model: Model;
    beforeAll(async () => {
      backend = await create();
      eager = await eagerOps(backend);
      model = await load(fixturePath("torch-2.13/mlp.pt2"), { backend });
    });
    afterAll(async () => {
      await model.dispose();
      await eager.dispose();
    });

    it("a model takes the result of a call, which may be disposed afterwards, and calls take its results", async () => {
      const { aten } = eager;
      const x = randn([5, 7], { seed: 0 });
      const expected = await (await model.forward<Tensor>(aten.add(x, 0))).cpu();
      using twice = aten.mul(x, 2);
      using product = aten.mm(aten.eye(5), twice);
      const result = await model.forward<Tensor>(aten.div(product, 2));
      const half = aten.mul(result, 0.5);
      result.dispose();
      const halves = (await half.cpu()).toFloat32();
      expect(halves.length).toBe(15);
      for (const [i, value] of expected.toFloat32().entries()) expect(halves[i]).toBeCloseTo(value / 2, 5);
    });

    it("the function of a handler may call eager ops", async () => {
      const clipped: OpHandler = {
        ops: ["aten::relu"],
        compile:
          () =>
          async ({ args }) => {
            const self = tensor(args.self as HandlerTensor);
            return await eager.aten.clamp(self, { min: 0, max: 0.25 }).cpu();
          },
      };
      const relu6 = { ops: ["aten::relu"], rewrite: clip } as OpHandler;
      const file = fixturePath("torch-2.13/mlp.pt2");
      const x = randn([5, 7], { seed: 1 });
      await using called = await load(file, { backend, handlers: [clipped], onWarning: () => {} });
      await using rewritten = await load(file, { backend, handlers: [relu6] });
      const [given, expected] = [await called.forward<Tensor>(x), await rewritten.forward<Tensor>(x)];
      const numbers = (await given.cpu()).toFloat32();
      for (const [i, value] of (await expected.cpu()).toFloat32().entries()) expect(numbers[i]).toBeCloseTo(value, 5);
    });

    it("random calls give other numbers each time", async () => {
      const { aten } = eager;
      const [a, b] = [aten.rand([64]), aten.rand([64])];
      const sum = aten.add(a, 0);
      expect(await a.read()).not.toEqual(await b.read());
      expect(await sum.read()).toEqual(await a.read());
    });

    it("calls give what PyTorch gives", async () => {
      const { aten } = eager;
      const x = tensor([
        [1, 5, 3],
        [6, 2, 4],
      ]);
      const [values, indices] = aten.topk(x, 2, { dim: -1 });
      expect((await values.cpu()).tolist()).toEqual([
        [5, 3],
        [6, 4],
      ]);
      expect((await indices.cpu()).tolist()).toEqual([
        [1n, 2n],
        [0n, 2n],
      ]);
      const large = await aten.masked_select(x, aten.gt(x, 3));
      expect((await large.cpu()).tolist()).toEqual([5, 6, 4]);
      for (const by of [2, 3]) expect((await aten.add(aten.sum(x), by).cpu()).item()).toBe(21 + by);
      expect(tensor(await values.cpu()).shape).toEqual([2, 2]);
    });
  });
}
