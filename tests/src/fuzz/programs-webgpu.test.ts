import { webgpu } from "@pt2/backend-webgpu/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingWebgpu } from "../backends.ts";
import { runDamagedWeights } from "./damaged-archives.ts";
import { runDamaged } from "./damaged-programs.ts";
import { type DeviceWatch, watchDevice } from "./watch-device.ts";

/** The number of programs of each file; the environment gives more, or others, to look for new findings. */
const ROUNDS = Number(process.env["PT2_FUZZ_ROUNDS"] ?? 6);
const FIRST = Number(process.env["PT2_FUZZ_FIRST"] ?? 0);
const missing = await missingWebgpu();

describe.skipIf(missing !== null)(`webgpu${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  let backend: Awaited<ReturnType<typeof webgpu>>;
  let watch: DeviceWatch;
  beforeAll(async () => {
    backend = await webgpu({ narrowFloat64: true });
    watch = watchDevice(backend.device);
  });
  afterAll(() => backend?.dispose());

  const inspect = async (): Promise<readonly string[]> => {
    const complaints = await watch.complaints();
    return watch.buffers === 0 ? complaints : [...complaints, `${watch.buffers} buffers are left`];
  };

  it("webgpu runs damaged programs or refuses them with a code, before the device has to", async () => {
    const { counts, findings } = await runDamaged({ backend, inspect }, { first: FIRST, rounds: ROUNDS });
    expect(findings).toEqual([]);
    for (const outcome of ["ran", "format", "graph", "registry", "backend"])
      expect(counts.get(outcome)).toBeGreaterThan(3);
  });

  it("webgpu runs damaged weight configs or refuses them with a code, before the device has to", async () => {
    const { counts, findings } = await runDamagedWeights({ backend, inspect }, 3 * ROUNDS);
    expect(findings).toEqual([]);
    expect(counts.get("ran")).toBeGreaterThan(5);
    expect(counts.size).toBeGreaterThan(2);
  });
});
