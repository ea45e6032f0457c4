import { caseProgram, FAMILIES, loadFamily, type RandomCall, randomCall } from "@pt2/conformance";
import { Pt2Error, type WeightTensor } from "@pt2/format";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { randomBelow } from "@pt2/testing/random";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { WebgpuBackend } from "../backend.ts";
import { missingDevice, openTestDevice } from "../device.test-helper.ts";
import { backendOn } from "../variants.test-helper.ts";
import { type AccessWatch, watchAccesses } from "./checked-accesses.test-helper.ts";

/**
 * The number of rounds, each over a part of all ops or cases; the environment gives more, or others, to look for new
 * findings.
 */
const ROUNDS = Number(process.env["PT2_FUZZ_ROUNDS"] ?? 1);
const FIRST = Number(process.env["PT2_FUZZ_FIRST"] ?? 0);
/** The number of parts. */
const PARTS = { ops: 16, cases: 64 } as const;

const registry = createRegistry({ sets: [aten] });

type Call = Pick<RandomCall, "program" | "inputs"> & { readonly weights?: ReadonlyMap<string, WeightTensor> };

/** Returns the n-th of `parts` parts of a list, for rounds that go through all of them. */
function partOf<T>(list: readonly T[], parts: number, round: number): readonly T[] {
  return list.filter((_, i) => i % parts === round % parts);
}

// Kernels for a CPU and for a GPU differ; neither may rely on what WebGPU does for accesses outside of bindings.
describe.skipIf(missingDevice !== "").each([
  ["software", true],
  ["a GPU", false],
])(`shaders for %s${missingDevice}`, (_, software) => {
  let device: GPUDevice;
  let backend: WebgpuBackend;
  let watch: AccessWatch;
  const refused: string[] = [];
  beforeAll(async () => {
    device = await openTestDevice();
    watch = watchAccesses(device);
    backend = backendOn(device, { software });
  });
  afterAll(async () => {
    await backend?.dispose();
    device?.destroy();
  });

  /** Returns why a call should not have ended as it did; null when it ran, or was refused before the device had to. */
  async function problemOf({ program, inputs, weights = new Map() }: Call): Promise<string | null> {
    try {
      const executable = await backend.compile({ program, weights, registry });
      try {
        await executable.run(inputs);
      } finally {
        await executable.dispose();
      }
    } catch (error) {
      if (!(error instanceof Pt2Error) || /\.internal$|^webgpu\.(refused|shader)$/.test(error.code))
        return String(error);
      // An error about data helps by naming it.
      if (error.where === undefined && !/%\w+/.test(error.what)) return `the error names no place: ${error}`;
      refused.push(error.code);
    }
    const outside = await watch.outside();
    return outside === null ? null : JSON.stringify(outside);
  }

  test("shaders stay inside of their tensors in the calls of the conformance suite", async () => {
    const findings: string[] = [];
    for (const family of FAMILIES) {
      const { cases } = await loadFamily(family);
      for (let round = FIRST; round < FIRST + ROUNDS; round++) {
        for (const opCase of partOf(cases, PARTS.cases, round)) {
          const problem = await problemOf(caseProgram(opCase, "inputs", registry, {}));
          if (problem !== null) findings.push(`${family}: ${opCase.op} ${JSON.stringify(opCase.args)}: ${problem}`);
        }
      }
    }
    expect(findings).toEqual([]);
  });

  test("shaders stay inside of their tensors with fuzzed arguments, of which the device sees none", async () => {
    const findings: string[] = [];
    for (let round = FIRST; round < FIRST + ROUNDS; round++) {
      const seed = Math.floor(round / PARTS.ops);
      for (const { op } of partOf(registry.list(), PARTS.ops, round)) {
        const call = randomCall(registry.resolve(op)!, randomBelow(seed * 7919 + op.length));
        const problem = await problemOf(call);
        if (problem !== null) findings.push(`seed ${seed}: ${call.text}: ${problem}`);
      }
    }
    expect(findings).toEqual([]);
    expect(refused.length).toBeGreaterThan(10);
  });
});
