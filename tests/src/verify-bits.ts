import { readFile } from "node:fs/promises";
import { fromBytes, readSafetensors } from "@pt2/format";
import type { Model, Value } from "@pt2/runtime/node";
import type { VerifyReport } from "../../packages/cli/src/verify/verify-model.ts";
import { readCalls } from "./fixture.ts";

type Check = VerifyReport["checks"][number];

/** Makes every recorded call and compares each byte of the results with those of NAME.eager.safetensors. */
export async function verifyBits(model: Model, path: string): Promise<VerifyReport> {
  const { tensors } = await readSafetensors(fromBytes(new Uint8Array(await readFile(`${path}.eager.safetensors`))));
  const calls = await readCalls(path);
  const checks: Check[] = [];
  const runMs: number[] = [];
  for (const [call, { inputs }] of calls.entries()) {
    const begin = performance.now();
    const outputs = await model.runFlat(inputs);
    runMs.push(performance.now() - begin);
    const prefix = call === 0 ? "" : `call${call}.`;
    for (const [key, wanted] of tensors) {
      const position = key.slice(prefix.length);
      if (!key.startsWith(prefix) || !/^\d+$/.test(position)) continue;
      const type = `${wanted.dtype} [${wanted.shape.join(", ")}]`;
      const different = await differentBytes(outputs[Number(position)], wanted.bytes, type);
      checks.push({
        call,
        key,
        name: model.outputs[Number(position)]?.name ?? key,
        type,
        comparison: result(different),
      });
    }
  }
  const ok = checks.length > 0 && checks.every(({ comparison }) => comparison.ok);
  return { ok, calls: calls.length, checks, unchecked: [], ratio: ok ? 0 : Number.POSITIVE_INFINITY, runMs };
}

/** Describes what is wrong with the bytes; null if nothing is. */
async function differentBytes(output: Value | undefined, wanted: Uint8Array, type: string): Promise<string | null> {
  if (typeof output !== "object" || output === null) return `${output} instead of a tensor`;
  if (`${output.dtype} [${output.shape.join(", ")}]` !== type) return `${output.dtype} [${output.shape.join(", ")}]`;
  const given = Buffer.from(await output.readBytes());
  if (given.equals(wanted)) return null;
  const bad = given.reduce((count, byte, i) => count + Number(byte !== wanted[i]), 0);
  return `${bad} of ${wanted.byteLength} bytes differ`;
}

function result(problem: string | null): Check["comparison"] {
  const ok = problem === null;
  const distance = ok ? 0 : Number.POSITIVE_INFINITY;
  const parts = { ok, ratio: distance, maxAbs: distance, bad: Number(!ok), count: 1, worst: null };
  return problem === null ? parts : { ...parts, problem };
}
