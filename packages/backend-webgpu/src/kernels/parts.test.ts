import { aten } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { KERNEL_PARTS } from "./kernels-on-demand.ts";

test("each part is loaded for exactly the ops that it has kernels for", async () => {
  for (const part of KERNEL_PARTS) {
    const has = new Set((await part.load()).flatMap(({ ops }) => ops));
    const asked = aten.ops.map(({ name }) => name).filter((op) => part.ops.test(op));
    expect([...has].sort()).toEqual(asked.sort());
  }
});
