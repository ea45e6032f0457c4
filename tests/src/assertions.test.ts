import { hostTensor } from "@pt2/backend";
import { load, type Model } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { fixturePath } from "./fixture.ts";

const float = (shape: readonly number[], ...values: readonly number[]) =>
  hostTensor(
    "float32",
    shape,
    Float32Array.from({ length: shape[0]! * (shape[1] ?? 1) }, (_, i) => values[i % values.length]!),
  );
const count = (value: number) => hostTensor("int64", [], BigInt64Array.of(BigInt(value)));

const [x, n, y] = [float([4, 3], 1), count(4), float([4], 1.5, -0.5, 2.5, -2.5)];

/** Inputs that violate one assertion, and the message of `ExportedProgram.module()` for them, in both dialects. */
const BROKEN = [
  ["a number that is too small", [x, count(1), y], /^Runtime assertion failed for expression u0 >= 2 on node 'ge_\d'/],
  ["a number that is too large", [x, count(9), y], /^Runtime assertion failed for expression u0 <= 8 on node 'le_\d'/],
  [
    "a sum of the wrong sign",
    [x, n, float([4], -1)],
    /^Runtime assertion failed for expression 0 < zuf0 on node 'gt_3'/,
  ],
  ["data", [float([4, 3], 1, -100, 1), n, y], /^x is too small/],
  [
    "a size that depends on data",
    [x, n, float([4], 1)],
    /^Runtime assertion failed for expression u1 <= 3 on node 'le_\d'/,
  ],
] as const;

const backends = await testedBackends();

describe.each(["assertions", "assertions_aten"])("what a program asserts, %s", (name) => {
  for (const { name: backend, missing, create, precision } of backends) {
    describe.skipIf(missing !== null)(backend, () => {
      let model: Model;
      beforeAll(async () => {
        const path = fixturePath(`programs/${name}.pt2`);
        model = await load(path, { backend: await create(), ...(precision && { precision }) });
      });
      afterAll(() => model?.dispose());

      it.each(BROKEN)("a violated assertion is an error with its message: %s", async (_, inputs, message) => {
        await expect(model.forward(...inputs)).rejects.toMatchObject({
          code: "registry.assertion",
          what: expect.stringMatching(message),
          where: expect.stringContaining("assert"),
        });
        // The next run is not affected.
        const [first] = Object.values(await model.forward(x, n, y));
        expect(first).toMatchObject({ shape: [4, 3] });
      });

      it("a violated assertion about sizes of inputs is an error before anything runs", async () => {
        await expect(model.forward(x, n, float([3], 1))).rejects.toMatchObject({ code: "graph.input-shape" });
      });
    });
  }
});
