import { readdirSync } from "node:fs";
import { torchvision } from "@pt2/ops-torchvision";
import { torchvision as onLibtorch } from "@pt2/ops-torchvision/libtorch";
import { torchvision as onWasm } from "@pt2/ops-torchvision/wasm";
import { torchvision as onWebgpu } from "@pt2/ops-torchvision/webgpu";
import type { OpSet } from "@pt2/registry";
import { load } from "@pt2/runtime/node";
import { recordedFile } from "@pt2/testing/recorded-file";
import { describe, expect, it } from "vitest";
import { readExpectedCalls } from "../../packages/cli/src/verify/expected-calls.ts";
import type { ToleranceOf } from "../../packages/cli/src/verify/tolerance.ts";
import { verifyModel } from "../../packages/cli/src/verify/verify-model.ts";
import { testedBackends } from "./backends.ts";
import { fixturePath } from "./fixture.ts";

const OPS: Readonly<Record<string, OpSet>> = { wasm: onWasm, libtorch: onLibtorch, webgpu: onWebgpu };
/** Boxes and keypoints are in pixels, and near 0 as often as not. */
const tolerance: ToleranceOf = (dtype) => (dtype === "float32" ? { rtol: 1e-3, atol: 1e-3 } : { rtol: 0, atol: 0 });
const NAMES = readdirSync(fixturePath("torchvision"))
  .filter((file) => /^small_.*\.pt2$/.test(file))
  .map((file) => file.slice(0, -".pt2".length));
const backends = await testedBackends();

describe("detectors find what torchvision finds, in a picture with things and in one without", () => {
  for (const { name, missing, create, precision } of backends) {
    const kernels = OPS[name.split(/\W/)[0]!] ?? torchvision;
    for (const detector of NAMES) {
      it.skipIf(missing !== null)(
        `${detector}: ${name}${missing === null ? "" : ` (skipped: ${missing})`}`,
        async () => {
          const base = fixturePath(`torchvision/${detector}`);
          const backend = await create();
          await using model = await load(`${base}.pt2`, { backend, ops: [kernels], ...(precision && { precision }) });
          const calls = await readExpectedCalls(model.inputs, {
            inputs: recordedFile(base, "inputs"),
            expected: recordedFile(base, "expected"),
          });
          const report = await verifyModel(model, { calls, tolerance });
          expect(report.checks.filter(({ comparison }) => !comparison.ok)).toEqual([]);
          expect(report.calls).toBe(2);
        },
      );
    }
  }
});
