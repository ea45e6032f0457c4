import { expect, it } from "vitest";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";

/** Whether an op has a parameter that a call must give, so that a call without arguments never runs. */
const needsArguments = (schema: string | null): boolean => schema !== null && /\([^*=,)]+[,)]/.test(schema);

describeWithLibtorch("argument checks", ({ addon }) => {
  it("know every overload that this PyTorch has of the ops that they check", () => {
    const ops = addon.operators().filter((op) => /^(?:aten|mkl|mkldnn)::/.test(op) && needsArguments(addon.schema(op)));
    expect(ops).toContain("aten::embedding_bag.padding_idx");
    const unknown = ops.filter((op) => {
      try {
        addon.callSync(op, []);
        return false;
      } catch (error) {
        return (error as { code?: string }).code === "libtorch.schema";
      }
    });
    expect(unknown).toEqual([]);
  });
});
