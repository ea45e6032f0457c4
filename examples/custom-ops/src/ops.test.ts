import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import type { Backend, HostTensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import {
  type CaseTensor,
  checkOp,
  compareTensor,
  gradientOp,
  type OpCase,
  type OpSample,
  runCase,
  someFloats,
} from "@pt2/conformance";
import { eagerOps } from "@pt2/eager";
import { fromBytes, Pt2Error, readSafetensors } from "@pt2/format";
import { createRegistry, type OpRecord } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { load, type Tensor, tensor } from "@pt2/runtime/node";
import { afterAll, describe, expect, it } from "vitest";
import { demo } from "./ops.ts";

interface Goldens {
  readonly forward: readonly OpCase[];
  readonly gradient: readonly OpCase[];
}

const file = (name: string): string => fileURLToPath(new URL(`../${name}`, import.meta.url));
const goldens = JSON.parse(await readFile(file("goldens.json"), "utf8")) as Readonly<Record<string, Goldens>>;

/** Each backend, or why this machine does not have it. */
const backends = await Promise.all([
  opened("wasm", () => wasm()),
  opened("libtorch", () => libtorch()),
  opened("webgpu", () => webgpu({ narrowFloat64: true })),
]);
afterAll(async () => {
  await Promise.all(backends.map(({ backend }) => backend?.dispose()));
});

async function opened(
  name: string,
  open: () => Backend | Promise<Backend>,
): Promise<{ readonly name: string; readonly backend: Backend | null; readonly why: string }> {
  try {
    return { name, backend: await open(), why: "available here" };
  } catch (problem) {
    if (problem instanceof Pt2Error) return { name, backend: null, why: problem.what };
    throw problem;
  }
}

const TOLERANCE = { rtol: 1e-5, atol: 1e-6 };
const demoOps: readonly OpRecord[] = demo.ops;
const x = someFloats(5, 7);
const samples: Readonly<Record<string, OpSample>> = {
  "demo::swish": { input: x, beta: 1.5 },
  "demo::gelu": { input: x },
  "demo::mish": { input: x },
  "demo::power": { input: tensor([0.5, 1, 2.5]), exponent: tensor([[2, 0.5, 3]]) },
  "demo::layer_norm": { input: x, weight: someFloats(7), bias: someFloats(7) },
  "demo::gate": { input: x, gate_weight: someFloats(7, 3), value_weight: someFloats(7, 3) },
};

describe("checkOp passes on all backends together", () => {
  const there = backends.flatMap(({ backend }) => backend ?? []);
  it.each(demoOps.map((op) => [op.name, op] as const))("%s", async (name, op) => {
    const { directions } = await checkOp(op, [samples[name]!], { backends: there, ops: [demo] });
    expect(directions).toBeGreaterThan(0);
  });
});

describe.each(backends)("ops of the example on $name ($why)", ({ backend }) => {
  if (backend === null) return it.skip("the backend is not available here");

  describe.each(demoOps.map((op) => [op.name, op] as const))("%s", (name, op) => {
    const { forward, gradient } = goldens[name]!;

    it.each(forward.map((each) => [each.name, each] as const))("returns PyTorch's results: %s", async (_, each) => {
      await runCase(backend, each, "inputs", createRegistry({ sets: [aten, demo] }), {});
    });

    it.each(gradient.map((each) => [each.name, each] as const))("has autograd's gradients: %s", async (_, each) => {
      const { record } = gradientOp(op)!;
      const sets = [aten, demo, { name: "gradient", ops: [record] }];
      await runCase(backend, each, "inputs", createRegistry({ sets }), {});
    });
  });

  it("the network returns PyTorch's results, also for other numbers of rows", async () => {
    const { tensors } = await readSafetensors(
      fromBytes(new Uint8Array(await readFile(file("custom-ops.expected.safetensors")))),
    );
    await using model = await load(file("custom-ops.pt2"), { backend, ops: [demo] });
    for (const rows of [3, 7]) {
      const input = tensor(
        "float32",
        [rows, 5],
        Float32Array.from({ length: 5 * rows }, (_, i) => Math.sin(i)),
      );
      const { shape, bytes } = tensors.get(`${rows} rows`)!;
      const data = new Float32Array(bytes.slice().buffer);
      expect(
        await compareTensor((await model.forward(input)) as Tensor, { dtype: "float32", shape, data }, TOLERANCE),
      ).toBeNull();
    }
  });

  it("eager calls return what the network's first op returns", async () => {
    await using eager = await eagerOps(backend, { ops: [demo] });
    const [opCase] = goldens["demo::swish"]!.forward;
    const [input, expected] = [opCase!.tensors[0]!, opCase!.expected[0] as CaseTensor].map(floatsOf);
    const result = eager.ops.demo!.swish!(input!);
    expect(
      await compareTensor(await result.cpu(), { ...expected!, data: await expected!.read() }, TOLERANCE),
    ).toBeNull();
  });
});

it("wrong shapes are refused with the op's own words", async () => {
  await using eager = await eagerOps(backends[0]!.backend!, { ops: [demo] });
  expect(() => eager.ops.demo!.gate!(x, someFloats(5, 3), someFloats(5, 3))).toThrow(
    "the weights must have 7 rows, as input has columns; they have 5",
  );
});

function floatsOf({ shape, data }: CaseTensor): HostTensor {
  return tensor("float32", shape, new Float32Array(Uint8Array.from(Buffer.from(data!, "base64")).buffer));
}
