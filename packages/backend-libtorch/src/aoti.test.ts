import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readFile, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { floats } from "@pt2/conformance";
import { beforeAll, describe, expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { runCommand } from "./install/command.ts";
import { cacheFolder } from "./install/environment.ts";
import { findToolchain } from "./install/toolchain.ts";
import { missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";
import { elementsOf } from "./programs.test-helper.ts";

const SCRIPT = fileURLToPath(new URL("../../../scripts/python/export_aoti.py", import.meta.url));
const python = process.env.PT2_PYTHON;

/** Why no package can be made here, for the name of the tests; empty where one can. */
async function missingCompiler(): Promise<string> {
  if (missingLibtorch !== "") return missingLibtorch;
  if (python === undefined) return " (skipped: no Python with torch makes the package; run `pnpm run setup`)";
  const { libtorch } = nativeModule();
  const asked = await runCommand(python, ["-c", "import torch; print(torch.__version__)"], { env: process.env });
  const version = asked.stdout.trim();
  if (version !== libtorch.version) {
    return ` (skipped: PT2_PYTHON has torch ${version || "that does not load"}, and libtorch is ${libtorch.version})`;
  }
  return await findToolchain(process.env).then(
    () => "",
    ({ what }: { readonly what: string }) => ` (skipped: ${what})`,
  );
}

/** The package of `export_aoti.py`: compiled once for each script and each torch. */
async function madePackage(): Promise<string> {
  const { version } = nativeModule().libtorch;
  const key = createHash("sha256")
    .update(await readFile(SCRIPT))
    .update(version);
  const path = join(cacheFolder(), "aoti", `${version}-${key.digest("hex").slice(0, 16)}.pt2`);
  if (existsSync(path)) return path;
  await mkdir(dirname(path), { recursive: true });
  const made = `${path.slice(0, -".pt2".length)}-${process.pid}.pt2`;
  const { code, lines } = await runCommand(python!, [SCRIPT, made], { env: process.env });
  if (code !== 0) throw new Error(`${SCRIPT} failed:\n${lines.slice(-40).join("\n")}`);
  await rename(made, path);
  return path;
}

const missing = await missingCompiler();

describe.skipIf(missing !== "")(`packages of AOTInductor${missing}`, () => {
  let path = "";
  let backend: LibtorchBackend;
  beforeAll(async () => {
    path = await madePackage();
    backend = new LibtorchBackend(nativeModule().addon, { threads: 1 });
  });

  it("run at any size that they were compiled for, and describe themselves", async () => {
    using model = backend.loadAoti(path);
    // The compiler may write small constants into its code.
    expect(model.constantNames).toContain("linear.weight");
    expect(model.metadata).toMatchObject({ AOTI_DEVICE_KEY: "cpu" });
    const x = floats([2, 3], 1, 2, 3, 0, -1, 1);
    const [first, second] = await model.run([x, floats([2, 2], 5, 5, 5, 5)]);
    // [1, 2, 3] · [[0, 1, 2], [3, 4, 5]]ᵀ + [-4, 1], and [0, -1, 1] · the same, cut at 0.
    expect(elementsOf(first)).toEqual([4, 27, 0, 2]);
    expect(elementsOf(second)).toEqual([4, 3, 5, 6]);
    const [larger] = await model.run([floats([3, 3], 0, 0, 2, 0, 0, 3, 0, 0, 4), floats([3, 2], 0, 0, 0, 0, 0, 0)]);
    expect([larger?.shape, elementsOf(larger)]).toEqual([
      [3, 2],
      [0, 11, 2, 16, 4, 21],
    ]);
  });

  it("runs of several runners overlap, and each gives its own results", async () => {
    using model = backend.loadAoti(path, { runners: 2 });
    const runs = Array.from({ length: 16 }, (_, i) =>
      model.run([floats([2, 3], 0, 0, i, 0, 0, 0), floats([2, 2], 0, 0, 0, 0)]),
    );
    const results = await Promise.all(runs);
    expect(results.map(([y]) => elementsOf(y)[0])).toEqual(results.map((_, i) => Math.max(0, 2 * i - 4)));
  });

  it("too few inputs, and a disposed model, are coded errors", async () => {
    const model = backend.loadAoti(path);
    const failing = model.run([floats([2, 3], 1, 2, 3, 0, -1, 1)]);
    await expect(failing).rejects.toMatchObject({ name: "Pt2Error", code: "libtorch.op-failed" });
    model.dispose();
    model.dispose();
    await expect(model.run([])).rejects.toMatchObject({ code: "libtorch.disposed" });
  });
});
