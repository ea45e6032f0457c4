import { existsSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { runCommand } from "./install/command.ts";
import { findToolchain } from "./install/toolchain.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { coded } from "./native-values.test-helper.ts";

/** Whether an op has a parameter that a call must give, so that a call without arguments never runs. */
const needsArguments = (schema: string | null): boolean => schema !== null && /\([^*=,)]+[,)]/.test(schema);

/** A library that registers an overload which names the indices in its own way. It needs no headers of PyTorch. */
const LIBRARY = `
extern "C" {
int aoti_torch_library_init_fragment(const char* ns, const char* file, unsigned line, void** library);
int aoti_torch_library_def(void* library, const char* schema);
}
static const int registered = [] {
  void* library = nullptr;
  return aoti_torch_library_init_fragment("aten", __FILE__, __LINE__, &library) ||
         aoti_torch_library_def(library, "embedding_bag.of_rows(Tensor weight, Tensor rows, Tensor offsets) -> Tensor");
}();
`;

const toolchain = await findToolchain(process.env).catch(() => undefined);

/** Why no library can be compiled against a libtorch, for the name of the test; empty where one can. */
function missing(folder: string): string {
  if (toolchain === undefined) return " (skipped: there is no C++ compiler)";
  const hasStableLibrary = existsSync(join(folder, "include/torch/csrc/stable/library.h"));
  return hasStableLibrary ? "" : " (skipped: this libtorch registers ops from C++ only)";
}

describeWithLibtorch("argument checks", ({ addon, libtorch }) => {
  it("know every overload that this PyTorch has of the ops that they check", () => {
    const ops = addon.operators().filter((op) => /^(?:aten|mkl|mkldnn)::/.test(op) && needsArguments(addon.schema(op)));
    expect(ops).toContain("aten::embedding_bag.padding_idx");
    const unknown = ops.filter((op) => {
      try {
        addon.callSync(op, []);
        return false;
      } catch (error) {
        return (error as { code?: string }).code === "libtorch.schema";
      }
    });
    expect(unknown).toEqual([]);
  });

  const skipped = missing(libtorch.path);
  it.skipIf(skipped !== "")(`a schema without an argument that they read is refused${skipped}`, async () => {
    const folder = await mkdtemp(join(tmpdir(), "pt2-overload-"));
    try {
      const [source, library] = [join(folder, "overload.cc"), join(folder, "overload.so")];
      await writeFile(source, LIBRARY);
      const lib = join(libtorch.path, "lib");
      const flags = ["-shared", "-fPIC", source, `-L${lib}`, `-Wl,-rpath,${lib}`, "-ltorch_cpu", "-o", library];
      const { code, lines } = await runCommand(toolchain!.compiler, flags, { env: process.env });
      expect([code, ...lines]).toEqual([0]);
      addon.loadLibrary(library);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    const op = "aten::embedding_bag.of_rows";
    expect(addon.schema(op)).toContain("Tensor rows");
    expect(() => addon.callSync(op, [])).toThrow(coded("schema"));
    const args = ["weight", "rows", "offsets"].map((name) => ({ name, arg: { kind: "slot", slot: 0 } }) as const);
    const graph = { slots: 2, inputs: [0], nodes: [{ kind: "op", op, args, outputs: [1] }], outputs: [] } as const;
    const refusal = expect.objectContaining({ code: "libtorch.schema", graph: 0, node: 0 });
    expect(() => addon.compile({ device: "cpu", graphs: [graph] }, [null])).toThrow(refusal);
  });
});
