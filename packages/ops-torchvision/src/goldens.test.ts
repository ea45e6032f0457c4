import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { compareTensor, gradientOp } from "@pt2/conformance";
import { eagerOps } from "@pt2/eager";
import type { DType } from "@pt2/format";
import type { OpSet } from "@pt2/registry";
import type { HostTensor, Tensor } from "@pt2/runtime/node";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { afterAll, describe, expect, it } from "vitest";
import { type GoldenCall, goldenCalls } from "./golden-calls.test-helper.ts";
import { torchvision } from "./index.ts";
import { torchvision as onLibtorch } from "./libtorch.ts";
import { torchvision as onWasm } from "./wasm.ts";
import { torchvision as onWebgpu } from "./webgpu.ts";

const backends: Readonly<Record<string, Backend | string>> = {
  wasm: wasm({ worker: false }),
  libtorch: await orWhyNot(libtorch({ threads: 1 })),
  webgpu: await orWhyNot(webgpu()),
};
afterAll(async () => {
  for (const backend of Object.values(backends)) if (typeof backend !== "string") await backend.dispose();
});

/** The backend of each row, and the ops as it is given them. */
const ROWS: readonly (readonly [row: string, backend: Backend | string, set: OpSet])[] = [
  ["wasm", backends.wasm!, torchvision],
  ["wasm, with kernels", backends.wasm!, onWasm],
  ["libtorch", backends.libtorch!, torchvision],
  // Kernels stay in the process: the row without them comes first.
  ["libtorch, with kernels", backends.libtorch!, onLibtorch],
  ["webgpu", backends.webgpu!, torchvision],
  ["webgpu, with kernels", backends.webgpu!, onWebgpu],
];

const FILES = { nms: 64, "roi-align": 37, "roi-pool": 14, "ps-roi": 27, "deform-conv2d": 26 };
const TOLERANCES: Partial<Record<DType, number>> = { float16: 1e-2, float32: 2e-5, float64: 1e-9 };

/** Calls an op of torchvision, or its gradient for `grad`. */
async function called(
  [backend, set]: readonly [Backend, OpSet],
  { op, tensors, numbers }: GoldenCall,
  grad: HostTensor | null,
): Promise<readonly Tensor[]> {
  const args = [...Object.values(tensors), ...Object.values(numbers)] as never[];
  if (grad === null) {
    const { ops } = await eagerOps(backend, { ops: [set] });
    return [await ops.torchvision![op]!<Tensor | Tensor[] | Promise<Tensor>>(...args)].flat();
  }
  if (op === "roi_pool" && set === torchvision) {
    // What a function computes is no part of a decomposition, as the gradient below would have it.
    const { ops } = await eagerOps(backend, { ops: [set] });
    const [input, rois] = [tensors.input!, tensors.rois!];
    const [, argmax] = await ops.torchvision!.roi_pool!<readonly Tensor[] | Promise<readonly Tensor[]>>(...args);
    const rest = [argmax, ...Object.values(numbers), ...input.shape] as never[];
    return [ops.torchvision!._roi_pool_backward!<Tensor>(grad, rois, ...rest)];
  }
  const gradients = gradientOp(set.ops.find(({ name }) => name === `torchvision::${op}`)!)!;
  const { ops } = await eagerOps(backend, { ops: [set, { name: "gradients", ops: [gradients.record] }] });
  return ops.check_op!.gradient!<Tensor[]>(...args, [grad] as never);
}

/** Errors are measured against the largest element, as sums of terms that cancel have them. */
async function expectSame(found: Tensor, expected: HostTensor): Promise<void> {
  const data = await expected.read();
  const { dtype, shape } = expected;
  const largest = Array.from(data, Number).reduce(
    (most, x) => (Number.isFinite(x) ? Math.max(most, Math.abs(x)) : most),
    1,
  );
  const rtol = TOLERANCES[dtype] ?? 0;
  expect(await compareTensor(found, { dtype, shape, data }, { rtol, atol: rtol * Math.min(largest, 1e3) })).toBeNull();
}

function hasFinite({ data }: HostTensor): boolean {
  return Array.from(data as Float32Array).every(Number.isFinite);
}

describe.each(ROWS)("on %s", (_row, backend, set) => {
  describe.each(Object.entries(FILES))("%s has the results of torchvision's kernels", async (file, count) => {
    if (typeof backend === "string") return it.skip(`(skipped: ${backend})`);
    const calls = await goldenCalls(file);

    it("for as many calls as were written", () => {
      expect(calls).toHaveLength(count);
    });

    // WebGPU has no float64, and products of matrices spread what is not finite to other regions.
    const possible = calls.filter(
      ({ op, tensors }) =>
        (backend !== backends.webgpu || Object.values(tensors).every(({ dtype }) => dtype !== "float64")) &&
        (set !== torchvision || !/roi_align/.test(op) || hasFinite(tensors.input!)),
    );
    it.each(possible.map((call) => [call.title, call] as const))("%s", async (_, call) => {
      const found = await called([backend, set], call, null);
      expect(found).toHaveLength(call.results.length);
      for (const [i, expected] of call.results.entries()) await expectSame(found[i]!, expected);
      if (call.grad === null) return;
      const gradients = await called([backend, set], call, call.grad);
      const expected = Object.values(call.gradients);
      expect(gradients).toHaveLength(expected.length);
      for (const [i, gradient] of expected.entries()) await expectSame(gradients[i]!, gradient);
    });
  });
});
