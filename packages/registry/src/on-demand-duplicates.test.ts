import { expect, test } from "vitest";
import { atenOnDemand } from "./aten/on-demand.ts";
import { defineOp } from "./op.ts";
import type { OpSet } from "./op-set.ts";
import { createRegistry } from "./user-ops/create-registry.ts";

const relu: OpSet = { name: "mine", ops: [defineOp("aten::relu(Tensor self) -> Tensor", { scalar: (x) => x })] };

test("an op of PyTorch that a set defines too is refused on every lookup, not only the first", async () => {
  const registry = createRegistry({ sets: [...atenOnDemand, relu] });
  for (const op of ["aten::add.Tensor", "aten::linear", "aten::relu"]) {
    await expect(registry.load([op])).rejects.toMatchObject({
      code: "registry.duplicate",
      what: 'aten::relu is defined twice: by op set "aten" and by op set "mine"',
    });
  }
});

test("a set with `replace` redefines an op and its in-place and out variants before anything is loaded", async () => {
  const registry = createRegistry({ sets: [...atenOnDemand, { ...relu, replace: true }] });
  const names = ["aten::relu", "aten::relu_", "aten::relu.out", "aten::gelu", "mine::relu"];
  const replaced = () => names.filter((op) => registry.isReplaced(op));
  expect(replaced()).toEqual(["aten::relu", "aten::relu_", "aten::relu.out"]);
  await registry.load(["aten::linear", "aten::gelu"]);
  expect(replaced()).toEqual(["aten::relu", "aten::relu_", "aten::relu.out"]);
});
