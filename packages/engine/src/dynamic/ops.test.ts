import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { DYNAMIC_KERNELS } from "./dynamic-kernels.ts";
import { hasDynamicKernel } from "./ops.ts";

test("the list of dynamic ops names the ops that have a kernel", () => {
  expect(
    aten.ops
      .map(({ name }) => name)
      .filter(hasDynamicKernel)
      .sort(),
  ).toEqual([...DYNAMIC_KERNELS.keys()].sort());
});
