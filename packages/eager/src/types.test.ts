import { readFileSync } from "node:fs";
import type { Tensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { floats } from "@pt2/conformance";
import { expect, expectTypeOf, it } from "vitest";
import type { Aten } from "./aten.gen.ts";
import { type EagerOps, eagerOps } from "./eager-ops.ts";
import type { EagerTensor } from "./eager-tensor.ts";

declare const aten: Aten;
declare const eager: EagerOps;
const x: Tensor = floats([1], 0);

/** Calls that are only compiled. */
export const calls = (): void => {
  expectTypeOf(aten.add(x, 1)).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.add(x, x, { alpha: 0.5 })).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.add({ float: 2 } as never, x)).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.add.Tensor(x, x)).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.topk(x, 3, { dim: -1 })).toEqualTypeOf<readonly [values: EagerTensor, indices: EagerTensor]>();
  expectTypeOf(aten.topk(x, { k: 3, largest: false })[0]).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.max(x)).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.max(x, 0, true)).toEqualTypeOf<readonly [values: EagerTensor, indices: EagerTensor]>();
  expectTypeOf(aten.max(x, x)).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.sum(x, [0, 1], { keepdim: true, dtype: "float64" })).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.split(x, 1)).toEqualTypeOf<readonly EagerTensor[]>();
  expectTypeOf(aten.nonzero(x)).toEqualTypeOf<Promise<EagerTensor>>();
  expectTypeOf(aten.index(x, [null, x])).toEqualTypeOf<Promise<EagerTensor>>();
  expectTypeOf(aten.item(x)).toEqualTypeOf<Promise<number | bigint | boolean>>();
  expectTypeOf(aten._unique2(x)).toEqualTypeOf<Promise<readonly [EagerTensor, EagerTensor, EagerTensor]>>();
  expectTypeOf(aten.size(x, 0)).toEqualTypeOf<number>();
  expectTypeOf(aten.zeros([2, 3], { dtype: "int64" })).toEqualTypeOf<EagerTensor>();
  expectTypeOf(aten.conv2d(x, x, null, 1, [1, 1], { groups: 2 })).toEqualTypeOf<EagerTensor>();
  expectTypeOf(eager.ops.mine!.bend!(x)).toEqualTypeOf<EagerTensor>();
  expectTypeOf(eager.ops.mine!.parts!<readonly EagerTensor[]>(x)).toEqualTypeOf<readonly EagerTensor[]>();
  // @ts-expect-error a keyword-only argument is not positional
  aten.add(x, x, 2);
  // @ts-expect-error the argument is called `dim`
  aten.topk(x, 3, { dims: -1 });
  // @ts-expect-error there is no such op
  aten.tpok(x, 3);
  // @ts-expect-error an op that writes to its argument
  aten.add_(x, 1);
  // @ts-expect-error a name that is not that of a dtype
  aten.to(x, { dtype: "float23" });
  // @ts-expect-error the second argument is missing
  aten.topk(x);
};

it("the types describe what there is at run time", async () => {
  const { aten: made } = await eagerOps(wasm({ worker: false }));
  const declared = readFileSync(new URL("./aten.gen.ts", import.meta.url), "utf8").split("\n}\n")[0]!;
  expect(Object.keys(made)).toEqual([...declared.matchAll(/^ {2}readonly (\w+):/gm)].map(([, name]) => name));
  expectTypeOf(made).toEqualTypeOf<Aten>();
  expectTypeOf<EagerTensor>().toExtend<Tensor>();
});
