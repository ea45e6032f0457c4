import type { Value } from "@pt2/backend";
import { type RandomCall, randomCall } from "@pt2/conformance";
import { Pt2Error } from "@pt2/format";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { randomBelow } from "@pt2/testing/random";
import { expect, test, vi } from "vitest";
import { WasmBackend } from "../backend.ts";
import { divided } from "../threads/divided.test-helper.ts";
import { watch } from "./guarded-memory.test-helper.ts";

vi.mock("../engine/heap.ts", async (original) => {
  const { guardHeap } = await import("./guarded-memory.test-helper.ts");
  return { Heap: guardHeap((await original<typeof import("../engine/heap.ts")>()).Heap) };
});
vi.mock("@pt2/engine", async (original) => {
  const { guardedArena } = await import("./guarded-memory.test-helper.ts");
  return { ...(await original<typeof import("@pt2/engine")>()), planArena: guardedArena };
});
// Small limits: large programs are refused, and the others run quickly.
vi.mock("../engine/limits.ts", async (original) => ({
  LIMITS: {
    ...(await original<typeof import("../engine/limits.ts")>()).LIMITS,
    memoryBytes: 2 ** 24,
    tensorBytes: 2 ** 20,
  },
}));
vi.mock("../../../engine/src/limits.ts", async (original) => ({
  LIMITS: { ...(await original<{ readonly LIMITS: object }>()).LIMITS, resultBytes: 2 ** 20, offsets: 2 ** 16 },
}));

/** The number of calls of each op. */
const ROUNDS = Number(process.env["PT2_FUZZ_ROUNDS"] ?? 1);
const FIRST = Number(process.env["PT2_FUZZ_FIRST"] ?? 0);

const registry = createRegistry({ sets: [aten] });

/** Returns outputs as text, or the error's code; anything else is a finding. */
async function outcome({ program, inputs }: RandomCall, poison: number, threads: number): Promise<string> {
  watch.reset(poison);
  const backend = new WasmBackend(divided(threads));
  let result: string;
  try {
    const executable = await backend.compile({ program, weights: new Map(), registry });
    result = (await executable.run(inputs)).map(textOf).join("; ");
  } catch (error) {
    if (!(error instanceof Pt2Error)) throw error;
    if (error.code.endsWith(".internal")) throw error;
    result = error.code;
  } finally {
    await backend.dispose();
  }
  const damages = watch.report();
  if (damages.length > 0) throw new Error(damages.join(", "));
  return result;
}

function textOf(value: Value): string {
  return typeof value === "object" && value !== null ? `${value.dtype}[${value.shape}] ${value.data}` : String(value);
}

test("calls with fuzzed arguments stay inside their tensors, read nothing that was not written, and give the same bytes divided among threads", async () => {
  const findings: string[] = [];
  const ran = new Set<string>();
  for (const { op } of registry.list()) {
    const record = registry.resolve(op)!;
    for (let seed = FIRST; seed < FIRST + ROUNDS; seed++) {
      const call = randomCall(record, randomBelow(seed * 7919 + op.length));
      try {
        const first = await outcome(call, 0, 1);
        if (/^\w+\.[\w-]+$/.test(first)) continue;
        ran.add(op);
        const second = await outcome(call, 0xff, 5);
        if (record.impure !== true && first !== second)
          throw new Error(`${first.slice(0, 80)} or ${second.slice(0, 80)}`);
      } catch (error) {
        findings.push(`seed ${seed}: ${call.text}: ${String(error)}`);
      }
    }
  }
  expect(findings).toEqual([]);
  expect(ran.size).toBeGreaterThan(400);
});
