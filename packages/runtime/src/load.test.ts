import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { pathToFileURL } from "node:url";
import { inspect } from "node:util";
import type { Backend } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import { defineOp, type OpSet } from "@pt2/registry";
import { describe, expect, it } from "vitest";
import { countingSource, fixtureBytes, fixturePath, idleBackend } from "./fixtures.test-helper.ts";
import { load as loadInBrowser } from "./index.ts";
import { load, type ModelSource, Pt2Error } from "./node.ts";

const MLP = "torch-2.13/mlp.pt2";

describe("loading from a source", () => {
  const sources: Readonly<Record<string, () => Promise<ModelSource>>> = {
    path: async () => fixturePath(MLP),
    "file URL": async () => pathToFileURL(fixturePath(MLP)),
    bytes: () => fixtureBytes(MLP),
    ArrayBuffer: async () => (await fixtureBytes(MLP)).buffer,
    Blob: async () => new Blob([await fixtureBytes(MLP)]),
    ByteSource: async () => countingSource(await fixtureBytes(MLP)),
  };
  it.each(Object.keys(sources))("load accepts %s as a source", async (kind) => {
    await using model = await load(await sources[kind]!(), { backend: idleBackend() });
    expect(model.inputs.map(({ name }) => name)).toEqual(["x"]);
  });

  it("load reads ranges over HTTP", async () => {
    const bytes = await fixtureBytes(MLP);
    const server = createServer((request, response) => {
      const [, from, to] = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? "") ?? [];
      const part = bytes.subarray(Number(from), Number(to) + 1);
      response.writeHead(206, { "Content-Range": `bytes ${from}-${to}/${bytes.length}` }).end(part);
    }).listen(0);
    try {
      const { port } = server.address() as AddressInfo;
      await using model = await load(`http://localhost:${port}/mlp.pt2`, { backend: idleBackend() });
      expect(model.outputs).toHaveLength(1);
    } finally {
      server.close();
    }
  });

  it("load rejects a path in a page", async () => {
    await expect(loadInBrowser("model.pt2", { backend: idleBackend() })).rejects.toMatchObject({
      code: "runtime.source",
      advice: expect.stringContaining("@pt2/runtime/node"),
    });
  });
});

describe("a load that fails closes its source and reports", () => {
  const missing = { op: "my::op", count: 3, where: "my::op %op (model.py:7, in forward)", why: "no kernel" };
  const failures = {
    "runtime.backend-version": { ...idleBackend(), apiVersion: 99 as unknown as 1 },
    "runtime.unsupported-ops": idleBackend({
      unsupported: async () => [missing, { ...missing, op: "aten::other", count: 1 }],
    }),
    "my.compile": idleBackend({
      compile: () => Promise.reject(new Pt2Error("my.compile", { what: "it does not compile" })),
    }),
  };
  it.each(Object.entries(failures))("a load that fails closes its source and reports %s", async (code, backend) => {
    const source = countingSource(await fixtureBytes(MLP));
    await expect(load(source, { backend })).rejects.toMatchObject({ code });
    expect(source.closed()).toBe(1);
  });

  it("load reports an op set with kernels under a misspelled name, or with an op of PyTorch without `replace`", async () => {
    const relu = defineOp("aten::relu(Tensor self) -> Tensor", { scalar: (x) => x });
    const sets: Readonly<Record<string, OpSet>> = {
      "runtime.kernels": { name: "mine", ops: [], kernels: { idel: [] } },
      "registry.duplicate": { name: "mine", ops: [relu] },
    };
    for (const [code, set] of Object.entries(sets)) {
      const source = countingSource(await fixtureBytes(MLP));
      await expect(load(source, { backend: idleBackend(), ops: [set] })).rejects.toMatchObject({ code });
      expect(source.closed()).toBe(1);
    }
    const others = { name: "mine", ops: [], kernels: { webgpu: [], toy: [] } };
    await using model = await load(fixturePath(MLP), { backend: idleBackend(), ops: [others] });
    expect(model.outputs).toHaveLength(1);
  });

  it("load reports every missing op, before it compiles", async () => {
    const backend = failures["runtime.unsupported-ops"];
    const problem = await load(fixturePath(MLP), { backend }).catch((error: Pt2Error) => error as Pt2Error);
    expect((problem as Pt2Error).message).toBe(
      [
        "The backend `idle` cannot run 2 ops of this program (4 nodes):",
        "  my::op ×3: no kernel; first my::op %op (model.py:7, in forward)",
        "  aten::other ×1: no kernel; first my::op %op (model.py:7, in forward)",
        "  where: my::op %op (model.py:7, in forward)",
        "  what to do: pass the op package that defines them (`ops`), a handler of your own (`handlers`), or another backend; or export with `run_decompositions()`, which leaves simpler ops",
      ].join("\n"),
    );
    expect(backend.requests).toHaveLength(0);
  });

  it("load reports a user's op without the advice to decompose it in PyTorch", async () => {
    const backend = idleBackend({ unsupported: async () => [missing] });
    await expect(load(fixturePath(MLP), { backend })).rejects.toMatchObject({
      advice: expect.not.stringContaining("run_decompositions"),
    });
  });

  it("load reports the abort", async () => {
    const source = countingSource(await fixtureBytes(MLP));
    const signal = AbortSignal.abort(new Error("enough"));
    await expect(load(source, { backend: idleBackend(), signal })).rejects.toThrow("enough");
    expect(source.closed()).toBe(1);
  });
});

describe("weights that are read ahead", () => {
  const ahead = (): { readonly asked: string[][]; discarded: number } & Pick<Backend, "prefetch"> => {
    const seen = {
      asked: [] as string[][],
      discarded: 0,
      prefetch: (weights: readonly WeightTensor[]) => {
        seen.asked.push(weights.map(({ name }) => name));
        return { discard: async () => void seen.discarded++ };
      },
    };
    return seen;
  };

  it("weights that are read ahead are passed to the compilation", async () => {
    const seen = ahead();
    const backend = idleBackend({ prefetch: seen.prefetch! });
    await using _ = await load(fixturePath(MLP), { backend });
    expect(seen.asked).toEqual([["a.weight", "a.bias", "b.weight", "b.bias"]]);
    expect(backend.requests[0]!.prefetch).toBeDefined();
    expect(seen.discarded).toBe(0);
  });

  it("weights that are read ahead are discarded when the load fails", async () => {
    const seen = ahead();
    const missing = { op: "my::op", count: 1, where: "my::op %op", why: "no kernel" };
    const backend = idleBackend({ prefetch: seen.prefetch!, unsupported: async () => [missing] });
    await expect(load(fixturePath(MLP), { backend })).rejects.toMatchObject({ code: "runtime.unsupported-ops" });
    expect(seen.discarded).toBe(1);
  });

  it("weights are not read ahead from remote sources", async () => {
    const seen = ahead();
    await using _ = await load(countingSource(await fixtureBytes(MLP)), {
      backend: idleBackend({ prefetch: seen.prefetch! }),
    });
    expect(seen.asked).toEqual([]);
  });
});

describe("load", () => {
  it("load passes its options to the backend", async () => {
    const backend = idleBackend();
    const { signal } = new AbortController();
    await using _ = await load(fixturePath(MLP), { backend, precision: "exact", signal });
    expect(backend.requests[0]).toMatchObject({ precision: "exact", signal });
    expect([...backend.requests[0]!.weights.keys()]).toEqual(["a.weight", "a.bias", "b.weight", "b.bias"]);
  });

  it("load reports completion in the end, even if a weight was never read", async () => {
    const idle = idleBackend();
    const backend = idleBackend({
      compile(request) {
        request.onProgress!({ stage: "weights", done: 70, total: 100 });
        return idle.compile(request);
      },
    });
    const seen: unknown[] = [];
    await using _ = await load(fixturePath(MLP), { backend, onProgress: (progress) => void seen.push(progress) });
    expect(seen).toEqual([
      { stage: "weights", done: 70, total: 100 },
      { stage: "weights", done: 100, total: 100 },
    ]);
  });

  it("load disposes the executable if its last step fails", async () => {
    const idle = idleBackend();
    let disposed = 0;
    const backend = idleBackend({
      async compile(request) {
        request.onProgress!({ stage: "weights", done: 1, total: 2 });
        return { ...(await idle.compile(request)), dispose: async () => void disposed++ };
      },
    });
    const onProgress = ({ done, total }: { done: number; total: number }): void => {
      if (done === total) throw new Error("the page has gone");
    };
    const source = countingSource(await fixtureBytes(MLP));
    await expect(load(source, { backend, onProgress })).rejects.toThrow("the page has gone");
    expect([disposed, source.closed()]).toEqual([1, 1]);
  });

  it.each<[string, unknown, string]>([
    ["nothing", undefined, "`backend` is missing"],
    ["no backend", {}, "`backend` is missing"],
    ["a name", { backend: "wasm" }, "`backend` is the string `wasm`, not a backend"],
    ["a promise of nothing", { backend: Promise.resolve(undefined) }, "`backend` is missing"],
    ["a function", { backend: idleBackend }, "`backend` is a function, not a backend"],
    ["something else", { backend: { name: "mine" } }, "it has no method `compile`"],
    ["ops that are not a list", { backend: idleBackend(), ops: {} }, "`ops` is not an array"],
    ["an op set that is none", { backend: idleBackend(), ops: [{}] }, "`ops[0]` has no list of ops"],
    ["no op set", { backend: idleBackend(), ops: [null] }, "`ops[0]` has no list of ops"],
    ["a handler that is none", { backend: idleBackend(), handlers: [{}] }, "`handlers[0]` has no list of ops"],
    [
      "a handler that does nothing",
      { backend: idleBackend(), handlers: [{ ops: ["my::op"], compute: () => {} }] },
      "`handlers[0]` has neither `compile` nor `rewrite`",
    ],
    ["no handler", { backend: idleBackend(), handlers: [null] }, "`handlers[0]` has no list of ops"],
    ["a precision that is none", { backend: idleBackend(), precision: "fats" }, '{ precision: "fats" }'],
    ["a misspelled option", { backend: idleBackend(), precison: "exact" }, "did you mean `precision`?"],
    ["a checksum of yes", { backend: idleBackend(), verifyChecksums: "yes" }, '{ verifyChecksums: "yes" }'],
    ["a signal that is none", { backend: idleBackend(), signal: 5 }, "{ signal: 5 }"],
    ["a listener that is none", { backend: idleBackend(), onProgress: 5 }, "{ onProgress: 5 }"],
    ["handlers that are not a list", { backend: idleBackend(), handlers: () => {} }, "`handlers` is not an array"],
  ])("load rejects invalid options: %s", async (_, options, what) => {
    const source = countingSource(await fixtureBytes(MLP));
    const problem = load(source, options as Parameters<typeof load>[1]);
    await expect(problem).rejects.toMatchObject({
      code: "runtime.options",
      what: expect.stringContaining(what),
      advice: expect.any(String),
    });
    expect(source.closed()).toBe(1);
  });

  it("load accepts options of callers that pass on their own", async () => {
    const options = { backend: idleBackend(), preset: {}, labels: [] };
    await using model = await load(fixturePath(MLP), options);
    expect(model.outputs).toHaveLength(1);
  });

  it.each<[string, unknown, RegExp, RegExp]>([
    ["null", null, /but null$/, /a path \(in Node\), a URL/],
    ["a promise", Promise.resolve(new Uint8Array(1)), /but a Promise$/, /await it/],
    ["a response", new Response("x"), /but a Response$/, /response\.arrayBuffer\(\)/],
    ["numbers", new Float32Array(1), /but a Float32Array$/, /a Uint8Array/],
    ["nothing", undefined, /but undefined$/, /first argument/],
  ])("load rejects %s as a source", async (_, source, what, advice) => {
    await expect(load(source as string, { backend: idleBackend() })).rejects.toMatchObject({
      code: "runtime.source",
      what: expect.stringMatching(what),
      advice: expect.stringMatching(advice),
    });
  });

  it("load rejects a misspelled library", async () => {
    const options = { backend: idleBackend(), libary: { ops: [] } };
    await expect(load(fixturePath(MLP), options)).rejects.toMatchObject({
      code: "runtime.options",
      what: expect.stringContaining("did you mean `library`?"),
    });
  });

  it("load rejects bytes that were transferred", async () => {
    const bytes = await fixtureBytes(MLP);
    structuredClone(bytes.buffer, { transfer: [bytes.buffer] });
    for (const source of [bytes, bytes.buffer as ArrayBuffer]) {
      await expect(load(source, { backend: idleBackend() })).rejects.toMatchObject({
        code: "runtime.source",
        what: expect.stringContaining("as after a transfer"),
      });
    }
  });

  it("load awaits a backend that is being made, and reports why it could not be", async () => {
    const model = await load(fixturePath(MLP), { backend: Promise.resolve(idleBackend()) });
    expect(model.backend).toBe(idleBackend().name);
    await model.dispose();
    const source = countingSource(await fixtureBytes(MLP));
    await expect(load(source, { backend: Promise.reject(new Error("no GPU")) })).rejects.toThrow("no GPU");
    expect(source.closed()).toBe(1);
  });

  it("console.log shows the inputs and outputs of a model", async () => {
    await using model = await load(fixturePath(MLP), { backend: idleBackend() });
    expect(inspect(model)).toBe(String(model));
    expect(String(model)).toBe(
      `Model on ${model.backend} (\n  input x: float32 [5, 7]\n  output output: float32 [5, 3]\n)`,
    );
  });

  it("load rejects handler functions that the backend does not support", async () => {
    const handler = { ops: ["aten::relu"], compile: () => () => [] };
    await expect(load(fixturePath(MLP), { backend: idleBackend(), handlers: [handler] })).rejects.toMatchObject({
      code: "runtime.handlers",
      details: { ops: ["aten::relu"] },
    });
  });

  it("a model is disposed once, and rejects calls afterwards", async () => {
    const source = countingSource(await fixtureBytes(MLP));
    const model = await load(source, { backend: idleBackend() });
    await Promise.all([model.dispose(), model.dispose()]);
    expect(source.closed()).toBe(1);
    await expect(model.forward(new Float32Array(35))).rejects.toMatchObject({ code: "runtime.disposed" });
    await expect(model.memory()).rejects.toMatchObject({ code: "runtime.disposed" });
  });
});
