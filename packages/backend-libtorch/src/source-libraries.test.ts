import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { floats, programOf, registryOf, run } from "@pt2/conformance";
import { defineOp, type OpRecord, type OpSet } from "@pt2/registry";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { LibtorchSources } from "./handlers/kernel.ts";
import { cudaMajorOf } from "./install/cuda-headers.ts";
import { fakeCommand } from "./install/fakes.test-helper.ts";
import { findToolchain } from "./install/toolchain.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { Router } from "./routes.ts";
import { SourceLibraries } from "./source-libraries.ts";

const toolchain = await findToolchain(process.env).catch(() => undefined);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const [, example] = /```cpp\n(\/\/ gate\.cc\n[\s\S]*?)```/.exec(readme)!;

const folder = await mkdtemp(join(tmpdir(), "pt2-sources-"));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** An op set whose op `gate` of a namespace is computed by the README's library, or by a decomposition. */
function setOf(namespace: string, given: Partial<LibtorchSources> = {}, decomposes = true): OpSet {
  const decompose: OpRecord["decompose"] = ({ x, gate }: never, b) =>
    b.tensor("aten::mul.Tensor", { self: x, other: b.tensor("aten::silu", { self: gate }) });
  const op = defineOp(`${namespace}::fused_gate(Tensor x, Tensor gate) -> Tensor`, {
    infer: ({ x }) => ({ dtype: x.dtype, shape: x.shape }),
    ...(decomposes ? { decompose: decompose as never } : {}),
  });
  const sources = { ops: [op.name], sources: [join(folder, `${namespace}.cc`)], ...given };
  return { name: namespace, ops: [op], kernels: { libtorch: [sources] } };
}

const programWith = (namespace: string) =>
  programOf(`
  user_input %x: f32[2, 3]
  user_input %g: f32[2, 3]
  %y: f32[2, 3] = ${namespace}::fused_gate(x=%x, gate=%g)
  return %y`);
const inputs = [floats([2, 3], 1, -1, 2, 0.5, 5, -3), floats([2, 3], 0, 1, -2, 3, -4, 0.25)];
const expected = [0, -0.731059, -0.476812, 1.428861, -0.359724, -0.421632];

describeWithLibtorch("sources of an op set", ({ addon, libtorch }) => {
  const warnings: { readonly message: string; readonly code: string }[] = [];
  const told: string[] = [];

  beforeEach(async () => {
    told.length = 0;
    warnings.length = 0;
    vi.stubEnv("PT2_CACHE", await mkdtemp(join(folder, "cache-")));
    vi.spyOn(process, "emitWarning").mockImplementation(((message: string, options: { code: string }) => {
      warnings.push({ message, code: options.code });
    }) as never);
  });
  afterEach(() => {
    vi.unstubAllEnvs();
    vi.restoreAllMocks();
  });

  async function ran(set: OpSet, namespace: string): Promise<string> {
    const backend = new LibtorchBackend(addon);
    const [program, registry] = [programWith(namespace), registryOf([], [set])];
    for (const precision of ["exact", "fast"] as const) {
      const executable = await backend.compile({ program, weights: new Map(), registry, precision });
      const [values] = await run(executable, ...inputs);
      for (const [i, value] of (values as number[]).entries()) expect(value).toBeCloseTo(expected[i]!, 5);
      told.push(await executable.explain());
    }
    await backend.dispose();
    return told.at(-1)!;
  }

  const hasStableOps = existsSync(join(libtorch.path, "include/torch/csrc/stable/ops.h"));
  const skipped =
    toolchain === undefined
      ? " (skipped: there is no C++ compiler)"
      : hasStableOps
        ? ""
        : " (skipped: this libtorch is older than the stable ABI that the library needs)";
  it.skipIf(skipped !== "")(
    `are compiled once, when a program has an op of theirs${skipped}`,
    { timeout: 120_000 },
    async () => {
      const source = join(folder, "sourced.cc");
      await writeFile(source, example!.replaceAll(/(STABLE_TORCH_LIBRARY(?:_IMPL)?\()gate/g, "$1sourced"));
      const set = setOf("sourced", { sources: [pathToFileURL(source)], oldest: "2.11" });

      const backend = new LibtorchBackend(addon);
      const other = programOf("user_input %x: f32[2]\n%y: f32[2] = aten::neg(self=%x)\nreturn %y");
      expect(await backend.unsupported(other, registryOf([], [set]))).toEqual([]);
      expect(await readdir(process.env.PT2_CACHE!)).toEqual([]);
      await backend.dispose();

      expect(addon.schema("sourced::fused_gate")).toBeNull();
      expect(await ran(set, "sourced")).toMatch(/sourced::fused_gate$/m);
      expect(addon.schema("sourced::fused_gate")).not.toBeNull();
      const compiled = await readdir(join(process.env.PT2_CACHE!, "ops"));
      expect(compiled).toHaveLength(1);
      // Where libtorch has the op nothing is compiled, by whatever library it has come.
      expect(await ran(setOf("sourced", { flags: ["-O3"] }), "sourced")).toMatch(/sourced::fused_gate$/m);
      expect(await readdir(join(process.env.PT2_CACHE!, "ops"))).toEqual(compiled);
      expect(warnings).toEqual([]);
    },
  );

  it("are replaced by decompositions where there is no compiler, with a warning", async () => {
    vi.stubEnv("CXX", "/nowhere/c++");
    await writeFile(join(folder, "uncompiled.cc"), example!);
    const text = await ran(setOf("uncompiled", {}), "uncompiled");
    expect(text).toMatch(/^# The kernels of uncompiled::fused_gate are not there: .*there is no C\+\+ compiler$/m);
    expect(text).not.toMatch(/uncompiled::fused_gate$/m);
    expect(warnings).toMatchObject([{ code: "libtorch.no-compiler" }]);
  });

  it.each<readonly [string, Partial<LibtorchSources>, string, string]>([
    ["older", { oldest: "99.0" }, "need torch 99.0 or later", "libtorch.library"],
    ["absent", { sources: ["/nowhere/ops.cc"] }, "There is no source file at /nowhere/ops.cc", "libtorch.library"],
  ])("that cannot be had leave an op without decomposition unsupported: %s", async (namespace, given, why, code) => {
    const backend = new LibtorchBackend(addon);
    const registry = registryOf([], [setOf(namespace, given, false)]);
    const [missing] = await backend.unsupported(programWith(namespace), registry);
    expect(missing).toMatchObject({ op: `${namespace}::fused_gate`, why: expect.stringContaining(why) });
    expect(warnings).toMatchObject([{ code, message: expect.stringContaining(why) }]);
    await backend.dispose();
  });

  describe("for a GPU", () => {
    /** What a program with the op of a set makes the backend of a GPU load, and say, whose dispatcher knows so much. */
    async function provided(
      known: { readonly schema: string | null; readonly hasKernel: boolean },
      nvcc: string,
    ): Promise<{ readonly loaded: readonly string[]; readonly lacks: readonly string[] }> {
      const toolkit = await mkdtemp(join(folder, "toolkit-"));
      const release = (await cudaMajorOf(libtorch)) || 99;
      await fakeCommand(
        "nvcc",
        `[ "$1" = --version ] && echo "release ${release}.0" && exit; ${nvcc}`,
        join(toolkit, "bin"),
      );
      vi.stubEnv("CUDA_HOME", toolkit);
      await writeFile(join(folder, "gpu.cc"), "int gpu() { return 1; }\n");
      await writeFile(join(folder, "gpu.cu"), "");
      const set = setOf("gpu", { cuda: { sources: [join(folder, "gpu.cu")] } });
      const dispatcher = new Dispatcher(
        { schema: () => known.schema, hasKernel: () => known.hasKernel, refusal: () => null },
        "cuda:0",
      );
      const loaded: string[] = [];
      const libraries = new SourceLibraries(dispatcher, (path) =>
        loaded.push(readFileSync(path, "latin1").slice(0, 4)),
      );
      return { loaded, lacks: await libraries.provide(programWith("gpu"), registryOf([], [set])) };
    }
    const makes = 'while [ $# -gt 1 ]; do [ "$1" = -o ] && echo CUDA > "$2"; shift; done';
    const schema = "gpu::fused_gate(Tensor x, Tensor gate) -> Tensor";

    const lack = toolchain === undefined ? " (skipped: there is no C++ compiler)" : "";
    it.skipIf(lack !== "")(
      `are two libraries, of which those that are there are not compiled again${lack}`,
      async () => {
        const lacks: readonly string[] = [];
        expect(await provided({ schema: null, hasKernel: false }, makes)).toEqual({
          loaded: ["\x7fELF", "CUDA"],
          lacks,
        });
        expect(await provided({ schema, hasKernel: false }, makes)).toEqual({ loaded: ["CUDA"], lacks });
        expect(await provided({ schema, hasKernel: true }, makes)).toEqual({ loaded: [], lacks });
      },
    );

    it("that are not there leave ops to their decompositions, though libtorch has kernels for CPUs", () => {
      const dispatcher = new Dispatcher(
        { schema: () => schema, hasKernel: () => false, refusal: () => null },
        "cuda:0",
      );
      dispatcher.explainLack(["gpu::fused_gate"], "there is no nvcc");
      const routed = (decomposes: boolean): Router =>
        new Router(dispatcher, registryOf([], [setOf("gpu", {}, decomposes)]), []);
      expect(routed(true).kindOf("gpu::fused_gate")).toBe("expand");
      expect(routed(false).kindOf("gpu::fused_gate")).toBe("missing");
      const why = "libtorch has no kernel of it for cuda:0: there is no nvcc";
      expect(dispatcher.problem("gpu::fused_gate")).toBe(why);
    });

    it.skipIf(lack !== "")(
      `that nvcc does not compile leave the records, with a warning, and nothing is loaded${lack}`,
      async () => {
        const { loaded, lacks } = await provided(
          { schema: null, hasKernel: false },
          "echo 'error: no GPU' >&2; exit 1",
        );
        expect(loaded).toEqual([]);
        const text = "The kernels of gpu::fused_gate for cuda:0 are not there: A library of ops could not be compiled";
        expect(lacks).toEqual([expect.stringContaining(text)]);
        expect(warnings).toMatchObject([{ code: "libtorch.build-failed", message: expect.stringContaining(text) }]);
      },
    );
  });
});
