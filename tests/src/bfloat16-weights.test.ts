import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type LibtorchBackend, libtorch } from "@pt2/backend-libtorch/node";
import { fromBytes, readSafetensors } from "@pt2/format";
import { load, type Tensor, tensor } from "@pt2/runtime/node";
import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingLibtorch } from "./backends.ts";
import { fixturePath, readCalls } from "./fixture.ts";

/**
 * Operands of products keep 8 bits: each is off by 2⁻⁹ of itself at most. After a few layers whose terms have both
 * signs a result is then off by about that much of the largest one, times the root of the layers: 2 % is five times
 * that.
 */
const OF_LARGEST = 0.02;

function expectNear(actual: Float32Array, expected: Float32Array): void {
  expect(actual).toHaveLength(expected.length);
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const worst = worstError(actual, expected, ABSOLUTE);
  expect(worst / largest).toBeLessThan(OF_LARGEST);
  // A smaller error would mean that nothing was narrowed.
  expect(worst / largest).toBeGreaterThan(1e-5);
}

const missing = await missingLibtorch();
const reason = missing === null ? "" : ` (skipped: ${missing}; run \`pnpm run setup\`)`;

describe.skipIf(missing !== null)(`weights in bfloat16${reason}`, () => {
  let backend: LibtorchBackend;
  beforeAll(async () => {
    backend = await libtorch({ weights: "bfloat16" });
  });
  afterAll(() => backend.dispose());

  it.each(["torch-2.13/mlp", "torch-2.13/conv", "torch-2.13/conv_aten"])("%s", async (name) => {
    await using model = await load(fixturePath(`${name}.pt2`), { backend });
    for (const { inputs, expected } of await readCalls(fixturePath(name))) {
      const [result] = (await model.runFlat(inputs)) as readonly Tensor[];
      expect(result?.dtype).toBe("float32");
      expectNear(result!.data as Float32Array, (expected[0] as Tensor).data as Float32Array);
    }
  });

  it("a trained network reads the same digits with weights in bfloat16", async () => {
    const folder = new URL("../../examples/digits/", import.meta.url);
    await using model = await load(fileURLToPath(new URL("digits.pt2", folder)), { backend });
    const file = await readFile(new URL("held-out.safetensors", folder));
    const { tensors } = await readSafetensors(fromBytes(new Uint8Array(file)));
    const gray = Float32Array.from(tensors.get("images")!.bytes, (value) => value / 255);
    const expected = new Float32Array(Uint8Array.from(tensors.get("logits")!.bytes).buffer);
    const { data } = (await model.forward({ image: tensor("float32", [360, 1, 8, 8], gray) })) as Tensor;
    const logits = data as Float32Array;
    expectNear(logits, expected);
    const answers = (scores: Float32Array): readonly number[] =>
      Array.from({ length: 360 }, (_, i) => {
        const row = scores.subarray(10 * i, 10 * i + 10);
        return row.indexOf(Math.max(...row));
      });
    const same = answers(logits).filter((digit, i) => digit === answers(expected)[i]).length;
    expect(same).toBeGreaterThanOrEqual(357);
  });
});
