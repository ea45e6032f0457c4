import { aten, libraries } from "@pt2/registry/aten";
import { expect, test } from "vitest";
import { KERNEL_PARTS } from "./kernels-on-demand.ts";

test("each part is loaded for exactly the ops that it has kernels for", async () => {
  for (const part of KERNEL_PARTS) {
    const has = new Set((await part.load()).flatMap(({ ops }) => ops));
    const all = [aten, ...libraries].flatMap(({ ops }) => ops.map(({ name }) => name));
    const asked = all.filter((op) => part.ops.test(op));
    expect([...has].sort()).toEqual(asked.sort());
  }
});
