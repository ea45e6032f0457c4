// Compiles assembly/index.ts into src/kernels.gen.ts. With --check: fails when that file is stale.
import { readFile, writeFile } from "node:fs/promises";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { renderKernels } from "./render-kernels.ts";

const packageDir = fileURLToPath(new URL("..", import.meta.url));
const target = fileURLToPath(new URL("../src/kernels.gen.ts", import.meta.url));

/** Kernels hold no state and allocate nothing: no garbage collector, memory imported, relaxed SIMD left off (Node 20). */
const flags = [
  ...["assembly/index.ts", "--outFile", "kernels.wasm", "--bindings", "raw", "--baseDir", packageDir],
  ...["-O3", "--noAssert", "--converge", "--runtime", "stub", "--enable", "simd", "--use", "abort="],
  ...["--disableWarning", "112", "--importMemory", "--noExportMemory", "--initialMemory", "1"],
];

async function compile(): Promise<{ readonly wasm: Uint8Array; readonly bindings: string }> {
  const written = new Map<string, Uint8Array | string>();
  const { error, stderr } = await asc.main(flags, {
    writeFile: (name, contents) => void written.set(name, contents),
  });
  if (error) throw new Error(`assembly does not compile: ${error.message}\n${stderr.toString()}`);
  return { wasm: written.get("kernels.wasm") as Uint8Array, bindings: String(written.get("kernels.d.ts")) };
}

const { wasm, bindings } = await compile();
const text = renderKernels(wasm, bindings);
const name = relative(packageDir, target);
if (process.argv.includes("--check")) {
  if (text !== (await readFile(target, "utf8").catch(() => ""))) {
    console.error(`${name} is stale: run \`pnpm --filter @pt2/backend-wasm kernels\``);
    process.exitCode = 1;
  }
} else {
  await writeFile(target, text);
  console.log(`${name}: ${wasm.byteLength} bytes of WebAssembly`);
}
