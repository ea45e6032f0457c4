import { rm } from "node:fs/promises";
import { type Backend, hostTensor } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { gradcheck } from "@pt2/conformance";
import { parse } from "@pt2/graph";
import { defineOp, type OpSet } from "@pt2/registry";
import { randn } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { missingPython, python } from "./python.ts";
import { exportTraining, openTraining } from "./training-programs.ts";

const NETWORKS = ["lstm", "gpt2", "vit"];

/** An op whose rule is right, or off by a sign in one operand. */
function bend(sign: number): OpSet {
  const op = defineOp("mine::bend(Tensor self, Tensor other) -> Tensor", {
    decompose: ({ self, other }, b) => {
      const product = b.tensor("aten::mul.Tensor", { self, other });
      return b.tensor("aten::sin", { self: product });
    },
    gradient({ args: { self, other }, grads: [grad] }, b) {
      const product = b.tensor("aten::mul.Tensor", { self, other });
      const slope = b.tensor("aten::cos", { self: product });
      const each = b.tensor("aten::mul.Tensor", { self: grad!, other: slope });
      const times = (x: typeof self, by: number): typeof self =>
        b.tensor("aten::mul.Scalar", { self: b.tensor("aten::mul.Tensor", { self: each, other: x }), other: by });
      return { self: times(other, 1), other: times(self, sign) };
    },
  });
  return { name: "mine", ops: [op] };
}

const program = parse(`program {
  user_input %x: f64[3, 5]
  user_input %w: f64[5, 7]
  user_input %n: i64[3]
  %h: f64[3, 7] = aten::mm(self=%x, mat2=%w)
  %b: f64[3, 7] = mine::bend(self=%h, other=%h)
  %m: f64[3, 7] = mine::bend(self=%b, other=%h)
  %d: f64[3, 7] = aten::dropout(input=%m, p=0.4, train=true)
  %l: f64[3, 7] = aten::log_softmax.int(self=%d, dim=1)
  %loss: f64[] = aten::nll_loss(self=%l, target=%n)
  return %loss
}`);
const inputs = [
  randn([3, 5], { seed: 1, dtype: "float64" }),
  randn([5, 7], { seed: 2, dtype: "float64" }),
  hostTensor("int64", [3], BigInt64Array.of(1n, 0n, 6n)),
];

const backends = await testedBackends();

/** Those that have float64, once each. */
const doubles = backends.filter(({ name, precision }) => name !== "webgpu" && precision !== "exact");

for (const { name: backendName, missing, create } of doubles) {
  describe.skipIf(missing !== null)(
    `gradcheck, ${backendName}${missing === null ? "" : ` (skipped: ${missing})`}`,
    () => {
      let backend: Backend;
      beforeAll(async () => {
        backend = await create();
      });

      it("right gradients agree with differences, with dropout behind", async () => {
        const { compared } = await gradcheck(program, { backend, inputs, ops: [bend(1)] });
        expect(compared.map(({ name }) => name)).toEqual(["x", "x", "w", "w"]);
        for (const { analytical, numerical } of compared) expect(analytical).toBeCloseTo(numerical, 6);
      });

      it("a wrong rule is found, with the tensors that it reaches", async () => {
        await expect(gradcheck(program, { backend, inputs, ops: [bend(-1)] })).rejects.toMatchObject({
          code: "conformance.gradient",
          message: expect.stringMatching(/x: the gradient says .*, differences of the loss/),
        });
      });
    },
  );
}

describe.skipIf(python === undefined)(`gradcheck of programs of float32${missingPython}`, () => {
  let folder = "";
  beforeAll(async () => {
    folder = await exportTraining(python!, NETWORKS);
  }, 300_000);
  afterAll(() => rm(folder, { recursive: true }));

  it.each(NETWORKS)("%s agrees within what such differences are worth", async (name) => {
    await using backend = wasm({ worker: false });
    const { program: network, weights, inputs: given, close } = await openTraining(folder, name);
    try {
      const { compared } = await gradcheck(network, { backend, inputs: given, weights, of: 0, directions: 1 });
      expect(compared.length).toBeGreaterThan(5);
    } finally {
      await close();
    }
  });
});
