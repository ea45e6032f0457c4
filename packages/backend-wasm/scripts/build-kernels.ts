// Compiles assembly/index.ts into src/kernels*.gen.ts. With --check: fails when one of them is stale.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { renderModule, renderTypes } from "./render-kernels.ts";

const packageDir = fileURLToPath(new URL("..", import.meta.url));

/** Kernels hold nothing that a result depends on, and allocate nothing: no garbage collector, memory imported. */
const flags = [
  ...["assembly/index.ts", "--outFile", "kernels.wasm", "--bindings", "raw", "--baseDir", packageDir],
  ...["-O3", "--noAssert", "--converge", "--runtime", "stub", "--enable", "simd", "--use", "abort="],
  ...["--disableWarning", "112", "--importMemory", "--noExportMemory", "--initialMemory", "1"],
];

async function compile(...more: readonly string[]): Promise<{ readonly wasm: Uint8Array; readonly bindings: string }> {
  const written = new Map<string, Uint8Array | string>();
  const { error, stderr } = await asc.main([...flags, ...more], {
    writeFile: (name, contents) => void written.set(name, contents),
  });
  if (error) throw new Error(`assembly does not compile: ${error.message}\n${stderr.toString()}`);
  return { wasm: written.get("kernels.wasm") as Uint8Array, bindings: String(written.get("kernels.d.ts")) };
}

/** The rows of a tile of the matrix product, see assembly/gemm-tile.ts. */
const rows = (count: number): string[] => ["--use", `TILE_ROWS=${count}`];

const plain = await compile(...rows(4));
const relaxed4 = await compile("--enable", "relaxed-simd", ...rows(4));
const relaxed6 = await compile("--enable", "relaxed-simd", ...rows(6));
const texts = {
  "src/kernels.gen.ts": renderTypes(plain.bindings),
  "src/kernels-plain.gen.ts": renderModule(plain.wasm, "for every processor"),
  "src/kernels-relaxed4.gen.ts": renderModule(relaxed4.wasm, "with relaxed SIMD, whose tiles have four rows"),
  "src/kernels-relaxed6.gen.ts": renderModule(relaxed6.wasm, "with relaxed SIMD, whose tiles have six rows"),
};
for (const [name, text] of Object.entries(texts)) {
  const target = `${packageDir}/${name}`;
  if (!process.argv.includes("--check")) await writeFile(target, text);
  else if (text !== (await readFile(target, "utf8").catch(() => ""))) {
    console.error(`${name} is stale: run \`pnpm --filter @pt2/backend-wasm kernels\``);
    process.exitCode = 1;
  }
}
const sizes = [plain, relaxed4, relaxed6].map(({ wasm }) => wasm.byteLength);
console.log(`${sizes.join(", ")} bytes of WebAssembly`);
