import { parse } from "@pt2/graph";
import { expect, test } from "vitest";
import { aten } from "../aten.ts";
import { defineOp, type OpRecord } from "../op.ts";
import { scalar as s } from "../scalar.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { lower } from "./lower.ts";
import type { LowerTarget } from "./lower-target.ts";

const SCHEMA = "mine::twice(Tensor self) -> Tensor";
const { graph } = parse(`program "TRAINING" torch "2.13.0" {
  forward()
  user_input %x: f32[3]
  %y: f32[3] = mine::twice(self=%x)
  return %y
}
`);

/** Returns how the call is lowered for a backend whose kernels an op set brings, and which ops the backend was asked for. */
async function loweredBy(record: OpRecord, takes: boolean) {
  const asked: string[] = [];
  const target: LowerTarget = {
    name: "third-party",
    isNative(op) {
      asked.push(op);
      return takes;
    },
  };
  const mine = { name: "mine", ops: [record], kernels: { "third-party": [{ ops: ["mine::twice"] }] } };
  const { calls } = await lower(graph, new Map([["x", { name: "x", dtype: "float32" as const, shape: [3] }]]), {
    registry: createRegistry({ sets: [aten, mine] }),
    target,
    handlerContext: () => ({ backend: "", initial: () => undefined }),
  });
  return { calls: calls.map(({ kind, record: { name } }) => [kind, name]), asked };
}

const view = defineOp(SCHEMA, { view: (self) => self });
const scalar = defineOp(SCHEMA, { scalar: (self) => s.mul(self, 2) });

test.each([
  ["view", view],
  ["scalar", scalar],
] as const)("a kernel that an op set brings for any backend is asked before a %s rule", async (kind, record) => {
  const taken = await loweredBy(record, true);
  expect(taken.asked[0]).toBe("mine::twice");
  expect(taken.calls).toEqual([[expect.not.stringMatching(/^(view|scalar)$/), "mine::twice"]]);
  // A kernel that does not take the call leaves it to the rule.
  const left = await loweredBy(record, false);
  expect(left.asked[0]).toBe("mine::twice");
  expect(left.calls).toEqual([[kind, "mine::twice"]]);
});
