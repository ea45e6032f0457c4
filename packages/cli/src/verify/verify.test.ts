import { type Backend, compareTensors } from "@pt2/backend";
import { wasm } from "@pt2/backend-wasm/node";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { inputsOf, prepare, tensor } from "@pt2/runtime";
import { describe, expect, it } from "vitest";
import { fixtureArgs, fixturePath, pt2 } from "../fixtures.test-helper.ts";
import { readCalls } from "../tensors/calls.ts";
import { comparePerNode, graphInputs, type PerNodeReport } from "./per-node.ts";
import { defaultTolerance } from "./tolerance.ts";

describe("compareTensors", () => {
  const { NaN: nan, POSITIVE_INFINITY: inf } = Number;
  const floats = (...values: readonly number[]) => tensor("float32", [1, values.length], values);
  const tolerance = { rtol: 1e-3, atol: 1e-4 };

  it("takes NaN and infinities as they are", () => {
    const same = floats(nan, inf, -inf, 0);
    expect(compareTensors(same, floats(nan, inf, -inf, -0), tolerance)).toMatchObject({
      ok: true,
      ratio: 0,
      worst: null,
    });
    expect(compareTensors(same, floats(nan, -inf, -inf, 0), tolerance)).toMatchObject({
      ok: false,
      bad: 1,
      ratio: inf,
    });
    expect(compareTensors(floats(1), floats(nan), tolerance)).toMatchObject({ ok: false, bad: 1, maxAbs: inf });
  });

  it("finds the worst element", () => {
    const result = compareTensors(floats(1, 100, 2), floats(1.0005, 100.5, 2), tolerance);
    expect(result).toMatchObject({
      ok: false,
      bad: 1,
      count: 3,
      worst: { index: [0, 1], expected: 100, actual: 100.5 },
    });
    expect(result.ratio).toBeCloseTo(0.5 / 0.1001, 3);
  });

  it("compares integers exactly, and dtypes and shapes first", () => {
    const big = (value: bigint) => tensor("int64", [1], [value]);
    const exact = defaultTolerance("int64");
    expect(compareTensors(big(2n ** 60n), big(2n ** 60n + 1n), exact)).toMatchObject({ ok: false, maxAbs: 1 });
    expect(compareTensors(big(1n), tensor("int32", [1], [1]), exact).problem).toBe("int32 [1] instead of int64 [1]");
  });

  it("compares halves and complex numbers by value", () => {
    const half = (bits: number) => tensor("float16", [1], Uint16Array.of(bits));
    expect(compareTensors(half(0x3c00), half(0x3c01), defaultTolerance("float16"))).toMatchObject({ ok: true });
    const complex = (re: number, im: number) => tensor("complex64", [1], Float32Array.of(re, im));
    expect(compareTensors(complex(3, 4), complex(3, 4.01), tolerance)).toMatchObject({ ok: false, bad: 1 });
  });
});

describe("pt2 verify", () => {
  it.each(["torch-2.6/dynamic", "torch-2.8/buffers_aten", "torch-2.13/trees", "programs/scalars"])(
    "accepts PyTorch's results: %s",
    async (name) => {
      const { code, out } = await pt2("verify", ...fixtureArgs(name));
      expect(out).toMatch(/^ok: \d+ outputs? of \d calls?/m);
      expect(code).toBe(0);
    },
  );

  it("says what differs", async () => {
    const wrong = fixturePath("torch-2.13/mlp.inputs.safetensors");
    const [file = "", ...inputs] = fixtureArgs("torch-2.13/mlp", false);
    const { code, out } = await pt2("verify", file, ...inputs, "--expected", wrong);
    expect(code).toBe(1);
    expect(out).toContain("output: float32 [5, 3] instead of float32 [5, 7]");
    const strict = await pt2("verify", ...fixtureArgs("torch-2.13/attention"), "--rtol", "0", "--atol", "1e-12");
    expect(strict.code).toBe(1);
    expect(strict.out).toMatch(/worst element \[[\d, ]+\] is \S+, expected \S+/);
  });

  it("compares node by node", async () => {
    const { code, out } = await pt2("verify", ...fixtureArgs("torch-2.13/conv_aten", false), "--per-node");
    expect(out).toMatch(/^ok: \d+ values of wasm against wasm, one node at a time/);
    expect(code).toBe(0);
  });
});

/** A backend with an error in what it computes for `%relu` as a part of a whole program. */
function faulty(inner: Backend): Backend {
  return {
    name: inner.name,
    apiVersion: inner.apiVersion,
    capabilities: inner.capabilities,
    unsupported: (program, registry) => inner.unsupported(program, registry),
    dispose: () => inner.dispose(),
    async compile(request) {
      const executable = await inner.compile(request);
      const { nodes, outputs } = request.program.graph;
      const at = nodes.length === 1 ? -1 : outputs.findIndex((arg) => arg.kind === "value" && arg.name === "relu");
      const zeros = tensor("float32", [5, 11], new Float32Array(55));
      return {
        run: async (...args) => (await executable.run(...args)).map((value, i) => (i === at ? zeros : value)),
        profile: (...args) => executable.profile(...args),
        memory: () => executable.memory(),
        explain: () => executable.explain(),
        dispose: () => executable.dispose(),
      };
    },
  };
}

async function perNode(reference: Backend | "alone"): Promise<PerNodeReport> {
  const archive = await openArchive(await fromFile(fixturePath("torch-2.13/mlp.pt2")));
  const registry = createRegistry({ sets: [aten] });
  const program = prepare(importProgram(await archive.program()), registry);
  const [leaves = []] = await readCalls(fixturePath("torch-2.13/mlp.inputs.safetensors"), inputsOf(program));
  const report = await comparePerNode({
    backend: faulty(wasm({ worker: false })),
    reference,
    compile: { program, registry, weights: await archive.weights() },
    inputs: graphInputs(program, leaves),
    tolerance: defaultTolerance,
  });
  await archive.close();
  return report;
}

it.each([
  ["nodes alone", "alone"],
  ["another backend", wasm({ worker: false })],
] as const)("names the first node that diverges from %s", async (_, reference) => {
  const { ok, first, checks } = await perNode(reference);
  expect(ok).toBe(false);
  expect(first).toMatchObject({ value: "relu", op: "aten::relu", where: expect.stringContaining("make_fixtures.py") });
  expect(checks.map(({ comparison }) => comparison.ok)).toEqual([true, false, true]);
});
