import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { floats, programOf, registryOf, run } from "@pt2/conformance";
import { defineOp, type OpSet } from "@pt2/registry";
import { afterAll, describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { runCommand } from "./install/command.ts";
import { findToolchain } from "./install/toolchain.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";

const toolchain = await findToolchain(process.env).catch(() => undefined);
const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
const [, source] = /```cpp\n(\/\/ gate\.cc\n[\s\S]*?)```/.exec(readme)!;

/** Why the README's library cannot be compiled against a libtorch, for the name of the test; empty where it can. */
function missing(folder: string): string {
  if (toolchain === undefined) return " (skipped: there is no C++ compiler)";
  const hasStableOps = existsSync(join(folder, "include/torch/csrc/stable/ops.h"));
  return hasStableOps ? "" : " (skipped: this libtorch is older than the stable ABI that the library needs)";
}

const program = programOf(`
  user_input %x: f32[2, 3]
  user_input %g: f32[2, 3]
  %y: f32[2, 3] = gate::fused_gate(x=%x, gate=%g)
  %z: f32[2, 3] = aten::neg(self=%y)
  return %z`);
const composed = programOf(`
  user_input %x: f32[2, 3]
  user_input %g: f32[2, 3]
  %s: f32[2, 3] = aten::silu(self=%g)
  %y: f32[2, 3] = aten::mul.Tensor(self=%x, other=%s)
  %z: f32[2, 3] = aten::neg(self=%y)
  return %z`);
const inputs = [floats([2, 3], 1, -1, 2, 0.5, 5, -3), floats([2, 3], 0, 1, -2, 3, -4, 0.25)];

describeWithLibtorch("a shared library on the stable ABI", ({ addon, libtorch }) => {
  const folders: string[] = [];
  afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

  const skipped = missing(libtorch.path);
  it.skipIf(skipped !== "")(`gives the op of its record to programs${skipped}`, { timeout: 120_000 }, async () => {
    const folder = await mkdtemp(join(tmpdir(), "pt2-gate-"));
    folders.push(folder);
    const [file, library] = [join(folder, "gate.cc"), join(folder, "gate.so")];
    await writeFile(file, source!);
    const [include, lib] = [join(libtorch.path, "include"), join(libtorch.path, "lib")];
    const flags = ["-std=c++20", "-O2", "-shared", "-fPIC", `-I${include}`, file, `-L${lib}`, `-Wl,-rpath,${lib}`];
    const { code, lines } = await runCommand(toolchain!.compiler, [...flags, "-ltorch_cpu", "-o", library], {
      env: process.env,
    });
    expect([code, ...lines]).toEqual([0]);

    const backend = new LibtorchBackend(addon);
    const gate = defineOp("gate::fused_gate(Tensor x, Tensor gate) -> Tensor", {
      infer: ({ x }) => ({ dtype: x.dtype, shape: x.shape }),
    });
    const bare: OpSet = { name: "gate", ops: [gate] };
    expect(await backend.unsupported(program, registryOf([], [bare]))).toMatchObject([{ op: "gate::fused_gate" }]);

    // A relative path is one from the current folder, and a library is loaded once however it is named.
    for (const path of [library, relative(process.cwd(), library)]) {
      const registry = registryOf([], [{ ...bare, kernels: { libtorch: [{ library: path }] } }]);
      expect(await backend.unsupported(program, registry)).toEqual([]);
      const executable = await backend.compile({ program, weights: new Map(), registry });
      const plain = await backend.compile({ program: composed, weights: new Map(), registry });
      const [actual, expected] = [await run(executable, ...inputs), await run(plain, ...inputs)];
      for (const [i, value] of (actual[0] as number[]).entries()) {
        expect(value).toBeCloseTo((expected[0] as number[])[i]!, 6);
      }
    }
    await backend.dispose();
  });

  describe("that is named wrongly is refused", () => {
    const backend = new LibtorchBackend(addon);
    const wrong: readonly (readonly [unknown, string])[] = [
      ["", 'is ""'],
      ["/lib/a\0b.so", "/lib/a"],
      [undefined, "is undefined"],
      ["libtorch_cpu.so", "There is no shared library at"],
      [tmpdir(), "There is no shared library at"],
    ];
    it.each(wrong)("%j", async (path, what) => {
      const refusal = { code: "libtorch.library", what: expect.stringContaining(what) };
      expect(() => backend.loadLibrary(path as string)).toThrow(expect.objectContaining(refusal));
      expect(() => new LibtorchBackend(addon, { libraries: [path as string] })).toThrow(
        expect.objectContaining(refusal),
      );
    });
  });
});
