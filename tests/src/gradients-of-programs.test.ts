import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { grad } from "@pt2/autograd";
import { hostTensor } from "@pt2/backend";
import { load, openProgram } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";

/** The shape of a tensor, and its numbers in base64; complex ones as pairs. */
type Encoded = readonly [shape: readonly number[], numbers: string];

/** A program that returns its loss, as `scripts/python/gradient_programs.py` writes it. */
type Row = readonly [
  name: string,
  program: string,
  inputs: readonly Encoded[],
  loss: number,
  gradients: Readonly<Record<string, Encoded>>,
];

const FILE = new URL("../fixtures/gradient-programs.json.gz", import.meta.url);
const rows = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly Row[];

function numbersOf(text: string): Float32Array<ArrayBuffer> {
  return new Float32Array(Uint8Array.from(Buffer.from(text, "base64")).buffer);
}

for (const { name: backend, missing, create, precision } of await testedBackends()) {
  describe(`gradients through complex numbers and loops are PyTorch's: ${backend}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    it.each(rows)("%s", async (_, bytes, given, rightLoss, right) => {
      const source = await openProgram(Buffer.from(bytes, "base64"));
      const inputs = given.map(([shape, text]) => hostTensor("float32", shape, numbersOf(text)));
      const users = source.program.inputs.flatMap((spec) => (spec.kind === "user_input" ? [spec.value] : []));
      const names = Object.keys(right);
      const wrt = names.map((name) => (/^input\.\d+$/.test(name) ? users[Number(name.slice(6))]! : name));
      const program = await grad(source.program, { wrt });
      await using model = await load(
        { ...source, program },
        { backend: await create(), ...(precision && { precision }) },
      );
      const { loss, gradients, inputGradients } = await model.step!(...inputs);
      expect(Math.abs(Number((await loss.read())[0]) / rightLoss - 1)).toBeLessThan(1e-4);
      for (const [i, name] of names.entries()) {
        const [shape, text] = right[name]!;
        const gradient = gradients[name] ?? inputGradients[wrt[i]!]!;
        const [found, expected] = [(await gradient.cpu()).data as Float32Array, numbersOf(text)];
        expect(gradient.shape, name).toEqual(shape);
        const scale = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-3);
        const worst = expected.reduce((most, value, k) => Math.max(most, Math.abs(value - found[k]!) / scale), 0);
        expect(worst, `${name}: ${found.slice(0, 6)} instead of ${expected.slice(0, 6)}`).toBeLessThan(2e-4);
      }
    });
  });
}
