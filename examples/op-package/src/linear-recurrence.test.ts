import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Backend } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { checkOp, compareTensor, type OpSample } from "@pt2/conformance";
import { fromBytes, Pt2Error, readSafetensors } from "@pt2/format";
import type { OpSet } from "@pt2/registry";
import { load, rand, randn, type Tensor, tensor } from "@pt2/runtime/node";
import { afterAll, describe, expect, it } from "vitest";
import { linearRecurrence, scan } from "./index.ts";
import { scan as scanOnWasm } from "./wasm.ts";
import { scan as scanOnWebgpu } from "./webgpu.ts";

const file = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const onCpu = wasm();
const onGpu = await webgpu().catch((problem: unknown) => {
  if (problem instanceof Pt2Error && problem.code === "webgpu.no-adapter") return null;
  throw problem;
});
const noGpu = onGpu === null ? " (skipped: there is no GPU)" : "";
afterAll(async () => {
  await onCpu.dispose();
  await onGpu?.dispose();
});

const call = (...shape: readonly number[]): OpSample => ({
  decay: rand(shape, { seed: 1 }),
  input: randn(shape, { seed: 2 }),
});
// The last one has as many rows as the shader wants.
const samples = [call(7), call(3, 1), call(5, 2, 13), call(257, 5)];

describe.each<readonly [string, Backend | null, OpSet]>([
  ["the decomposition on wasm", onCpu, scan],
  ["the kernel on wasm", onCpu, scanOnWasm],
  [`the decomposition on WebGPU${noGpu}`, onGpu, scan],
  [`the kernel on WebGPU${noGpu}`, onGpu, scanOnWebgpu],
])("%s", (_, backend, set) => {
  it.skipIf(backend === null)("agrees with the rules, and its gradient with differences", async () => {
    const { directions } = await checkOp(linearRecurrence, samples as never, { backends: [backend!], ops: [set] });
    expect(directions > 0 || backend === onGpu).toBe(true);
  });

  it.skipIf(backend === null)(
    "has PyTorch's results in a recurrent network, for batches of several lengths",
    async () => {
      const { tensors } = await readSafetensors(
        fromBytes(new Uint8Array(await readFile(file("scan.expected.safetensors")))),
      );
      await using model = await load(file("scan.pt2"), { backend: backend!, ops: [set] });
      for (const [name, { shape, bytes }] of tensors) {
        const [batch, length] = name.split("x").map(Number) as [number, number];
        const x = Float32Array.from({ length: batch * length * 5 }, (_, i) => Math.sin(i));
        const result = (await model.forward(tensor("float32", [batch, length, 5], x))) as Tensor;
        const data = new Float32Array(bytes.slice().buffer);
        expect(await compareTensor(result, { dtype: "float32", shape, data }, { rtol: 1e-4, atol: 1e-5 })).toBeNull();
      }
      const steps = (await model.explain()).split("\n").filter((line) => line.includes("scan::linear_recurrence"));
      expect(steps.length > 0).toBe(set === scanOnWasm || (set === scanOnWebgpu && steps.length > 0));
    },
  );
});

it("the network with the kernel computes in the worker", async () => {
  await using model = await load(file("scan.pt2"), { backend: onCpu, ops: [scanOnWasm] });
  expect(model.offThread).toBe(true);
});
