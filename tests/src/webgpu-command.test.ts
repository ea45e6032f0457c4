import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingWebgpu } from "./backends.ts";
import { pt2 } from "./pt2.ts";

const DIGITS = fileURLToPath(new URL("../../examples/digits/digits.pt2", import.meta.url));
const missing = await missingWebgpu();

/** A bar in Perfetto. */
interface TraceEvent {
  readonly name: string;
  readonly ph: string;
  readonly ts: number;
  readonly dur: number;
  readonly args: { readonly where?: string };
}

describe.skipIf(missing !== null)(`pt2 on webgpu${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-webgpu-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  it("pt2 profiles by the clock of the GPU, and writes a trace for Perfetto", async () => {
    const file = join(folder, "trace.json");
    const { code, stdout } = await pt2("profile", DIGITS, "--backend", "webgpu", "--trace", file);
    expect(code).toBe(0);
    expect(stdout).toContain("aten::conv2d + aten::batch_norm + aten::relu");
    const { traceEvents } = JSON.parse(await readFile(file, "utf8")) as { readonly traceEvents: readonly TraceEvent[] };
    const bars = traceEvents.filter(({ ph }) => ph === "X");
    const [forward, ...steps] = bars;
    expect(forward!.name).toBe("forward");
    expect(steps.length).toBeGreaterThan(4);
    for (const [i, { ts, dur, args }] of steps.entries()) {
      expect(args.where).toContain("train.py:40");
      expect(dur).toBeGreaterThan(0);
      // The steps follow one another.
      if (i > 0) expect(ts).toBeGreaterThanOrEqual(steps[i - 1]!.ts);
    }
  });

  it("pt2 holds float64 as float32 with its option", async () => {
    const file = fileURLToPath(new URL("../fixtures/torch-2.13/strides.pt2", import.meta.url));
    const [strict, narrow] = await Promise.all([
      pt2("ops", file, "--backend", "webgpu"),
      pt2("ops", file, "--backend", "webgpu", "--narrow-float64"),
    ]);
    expect([strict.code, narrow.code]).toEqual([1, 0]);
    expect(strict.stdout).toContain("has no float64 tensors");
  });

  it("pt2 runs on webgpu, and lists the ops that it supports", async () => {
    const [ops, run] = await Promise.all([
      pt2("ops", DIGITS, "--backend", "webgpu"),
      pt2("run", DIGITS, "--backend", "webgpu", "--json"),
    ]);
    expect([ops.code, run.code]).toEqual([0, 0]);
    expect(JSON.parse(run.stdout)).toMatchObject({ backend: "webgpu" });
  });
});
