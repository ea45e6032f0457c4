import type { Backend, Executable, HostTensor, TraceEvent } from "@pt2/backend";
import { findBuiltAddon, libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { importProgram, parse } from "@pt2/graph";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { inputsOf, prepare, tensor } from "@pt2/runtime";
import { describe, expect, it } from "vitest";
import { fixtureArgs, fixturePath, pt2 } from "../fixtures.test-helper.ts";
import { readCalls } from "../tensors/calls.ts";
import { comparePerNode, graphInputs, type PerNodeReport } from "./per-node.ts";
import { byLargestElement, defaultTolerance } from "./tolerance.ts";

const WRONG = "relu";
const zeros = tensor("float32", [5, 11], new Float32Array(55));

/** A backend with an error in what it computes for one value as a part of a whole program. */
function faulty(inner: Backend, wrong = zeros): Backend {
  return {
    name: inner.name,
    apiVersion: inner.apiVersion,
    capabilities: inner.capabilities,
    unsupported: (program, registry) => inner.unsupported(program, registry),
    dispose: () => inner.dispose(),
    [Symbol.asyncDispose]: () => inner.dispose(),
    async compile(request) {
      const executable = await inner.compile(request);
      const { nodes, outputs } = request.program.graph;
      const at = nodes.length === 1 ? -1 : outputs.findIndex((arg) => arg.kind === "value" && arg.name === WRONG);
      return {
        run: async (...args) => (await executable.run(...args)).map((value, i) => (i === at ? wrong : value)),
        ...traceOf(executable, wrong),
        profile: (...args) => executable.profile(...args),
        memory: () => executable.memory(),
        explain: () => executable.explain(),
        dispose: () => executable.dispose(),
        [Symbol.asyncDispose]: () => executable.dispose(),
      };
    },
  };
}

function traceOf(executable: Executable, wrong: HostTensor): Pick<Executable, "trace"> | undefined {
  const shown = (event: TraceEvent): TraceEvent => ({
    ...event,
    outputs: event.outputs.map(({ name, value }) => ({ name, value: name === WRONG ? wrong : value })),
  });
  if (executable.trace === undefined) return undefined;
  return {
    trace: (inputs, observe, options) => executable.trace!(inputs, (event) => observe(shown(event)), options),
  };
}

async function perNode(backend: Backend, reference: Backend | "alone"): Promise<PerNodeReport> {
  const archive = await openArchive(await fromFile(fixturePath("torch-2.13/mlp.pt2")));
  const registry = createRegistry({ sets: [aten] });
  const program = await prepare(importProgram(await archive.program()), registry);
  const [leaves = []] = await readCalls(fixturePath("torch-2.13/mlp.inputs.safetensors"), inputsOf(program));
  const report = await comparePerNode({
    backend,
    reference,
    compile: { program, registry, weights: await archive.weights() },
    inputs: graphInputs(program, leaves),
    tolerance: defaultTolerance,
  });
  await archive.close();
  return report;
}

function expectWrong({ ok, first, checks }: PerNodeReport): void {
  expect(ok).toBe(false);
  expect(first).toMatchObject({ value: WRONG, op: "aten::relu", where: expect.stringContaining("make_fixtures.py") });
  expect(checks.map(({ comparison }) => comparison.ok)).toEqual([true, false, true]);
}

const embedded = wasm({ worker: false });

describe("pt2 verify --per-node", () => {
  it("pt2 verify --per-node compares a backend with itself", async () => {
    const { code, out } = await pt2("verify", ...fixtureArgs("torch-2.13/conv_aten", false), "--per-node");
    expect(out).toMatch(/^ok: \d+ values of wasm against wasm, one node at a time/);
    expect(code).toBe(0);
  });

  it.each([
    ["nodes alone", "alone"],
    ["another backend", embedded],
  ] as const)("names the first node that diverges from %s", async (_, reference) => {
    expectWrong(await perNode(faulty(embedded), reference));
  });

  it("compares nothing with memory that nothing was written to", async () => {
    const program = parse(`program "TRAINING" torch "2.13.0" {
      forward(x)
      user_input %x: f32[5, 11]
      %relu: f32[5, 11] = aten::empty_like(self=%x)
      %copy: f32[5, 11] = aten::copy(self=%relu, src=%x)
      return %copy
    }`);
    const request = {
      compile: { program, registry: createRegistry({ sets: [aten] }), weights: new Map() },
      inputs: [zeros],
      tolerance: defaultTolerance,
    };
    const garbage = tensor("float32", [5, 11], new Float32Array(55).fill(1e9));
    const report = await comparePerNode({ ...request, backend: faulty(embedded, garbage), reference: "alone" });
    expect(report).toMatchObject({ ok: true, first: null, checks: [{ value: "copy" }] });
  });
});

it("byLargestElement allows every element the error of the largest one", () => {
  const value = tensor("float32", [3], [1000, 1e-3, Number.NaN]);
  expect(byLargestElement(defaultTolerance("float32"), value)).toEqual({ rtol: 0, atol: 1e-4 + 1 });
  const exact = tensor("int64", [2], [1000, 1]);
  expect(byLargestElement(defaultTolerance("int64"), exact)).toEqual({ rtol: 0, atol: 0 });
  const none = tensor("float32", [0], []);
  expect(byLargestElement(defaultTolerance("float32"), none)).toEqual({ rtol: 0, atol: 1e-4 });
});

describe.skipIf((await findBuiltAddon()) === undefined)("pt2 verify --per-node with libtorch", () => {
  it.each(["attention", "buffers", "cond", "conv", "datadep_aten", "dynamic"])("agrees with wasm: %s", async (name) => {
    const file = [...fixtureArgs(`torch-2.13/${name}`, false), "--per-node"];
    for (const [backend, reference] of [
      ["libtorch", "wasm"],
      ["wasm", "libtorch"],
    ] as const) {
      const { code, out } = await pt2("verify", ...file, "--backend", backend, "--reference", reference);
      expect(out).toMatch(new RegExp(`^ok: \\d+ values? of ${backend} against ${reference}, worst error`));
      expect(code).toBe(0);
    }
    const { out } = await pt2("verify", ...file, "--backend", "libtorch");
    expect(out).toMatch(/^ok: \d+ values? of libtorch against libtorch, one node at a time/);
  });

  it("pt2 verify --per-node names the first node that diverges, on either side", async () => {
    const backend = await libtorch({ threads: 1 });
    expectWrong(await perNode(faulty(backend), embedded));
    expectWrong(await perNode(embedded, faulty(backend)));
    expectWrong(await perNode(backend, faulty(embedded)));
    await backend.dispose();
  });
});
