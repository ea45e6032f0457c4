// Compiles assembly/index.ts into src/kernels*.gen.ts, and the modules that load on demand: assembly/reductions.ts,
// indexing.ts, products.ts, narrow.ts, planar.ts, resampling.ts, fourier.ts, random.ts, copies.ts and ordering.ts. With --check: fails when one of them is stale.
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";
import { hoistConstants } from "./hoist-constants.ts";
import { renderFile, renderModule, renderTypes } from "./render-kernels.ts";

const packageDir = fileURLToPath(new URL("..", import.meta.url));

/** Kernels hold nothing that a result depends on, and allocate nothing: no garbage collector, memory imported. */
const flags = [
  ...["--outFile", "kernels.wasm", "--bindings", "raw", "--baseDir", packageDir],
  ...["-O3", "--noAssert", "--converge", "--runtime", "stub", "--enable", "simd", "--use", "abort="],
  ...["--disableWarning", "112", "--importMemory", "--noExportMemory", "--initialMemory", "1"],
];

interface Compiled {
  readonly wasm: Uint8Array;
  readonly bindings: string;
}

/** The bytes of each module, in order. */
const sizes: number[] = [];

async function compile(entry: string, ...more: readonly string[]): Promise<Compiled> {
  const written = new Map<string, Uint8Array | string>();
  const { error, stderr } = await asc.main([`assembly/${entry}`, ...flags, ...more], {
    writeFile: (name, contents) => void written.set(name, contents),
  });
  if (error) throw new Error(`assembly does not compile: ${error.message}\n${stderr.toString()}`);
  const wasm = hoistConstants(written.get("kernels.wasm") as Uint8Array);
  sizes.push(wasm.byteLength);
  return { wasm, bindings: String(written.get("kernels.d.ts")) };
}

/** The rows of a tile of the matrix product, see assembly/gemm-tile.ts. */
const rows = (count: number): string[] => ["--use", `TILE_ROWS=${count}`, "--use", "ALL_COPIES=0"];

const plain = await compile("index.ts", ...rows(4));
const relaxed4 = await compile("index.ts", "--enable", "relaxed-simd", ...rows(4));
const relaxed6 = await compile("index.ts", "--enable", "relaxed-simd", ...rows(6));
const reductions = await compile("reductions.ts");
const indexing = await compile("indexing.ts");
const products = await compile("products.ts");
const narrow = await compile("narrow.ts");
const narrowRelaxed = await compile("narrow.ts", "--enable", "relaxed-simd");
const planar = await compile("planar.ts");
const planarRelaxed = await compile("planar.ts", "--enable", "relaxed-simd");
const resampling = await compile("resampling.ts");
const fourier = await compile("fourier.ts");
const random = await compile("random.ts");
const copies = await compile("copies.ts", "--use", "ALL_COPIES=1");
const ordering = await compile("ordering.ts");
const texts = {
  "src/kernels.gen.ts": renderFile(renderTypes(plain.bindings, "Kernels")),
  "src/kernels-plain.gen.ts": renderFile(renderModule(plain.wasm, "for every processor")),
  "src/kernels-relaxed4.gen.ts": renderFile(
    renderModule(relaxed4.wasm, "with relaxed SIMD, whose tiles have four rows"),
  ),
  "src/kernels-relaxed6.gen.ts": renderFile(
    renderModule(relaxed6.wasm, "with relaxed SIMD, whose tiles have six rows"),
  ),
  "src/kernels/reduce/reductions.gen.ts": renderFile(
    renderTypes(reductions.bindings, "ReductionKernels"),
    renderModule(reductions.wasm, "of reductions"),
  ),
  "src/kernels/index/indexing.gen.ts": renderFile(
    renderTypes(indexing.bindings, "IndexKernels"),
    renderModule(indexing.wasm, "of rows that positions choose"),
  ),
  "src/kernels/matmul/products.gen.ts": renderFile(
    renderTypes(products.bindings, "ProductKernels"),
    renderModule(products.wasm, "of products and windows of rare dtypes"),
  ),
  "src/kernels/matmul/narrow-plain.gen.ts": renderFile(
    renderTypes(narrow.bindings, "NarrowKernels"),
    renderModule(narrow.wasm, "of linear layers with narrow weights, for every processor"),
  ),
  "src/kernels/matmul/narrow-relaxed.gen.ts": renderFile(
    renderModule(narrowRelaxed.wasm, "of linear layers with narrow weights, with relaxed SIMD"),
  ),
  "src/kernels/conv/planar-plain.gen.ts": renderFile(
    renderTypes(planar.bindings, "PlanarKernels"),
    renderModule(planar.wasm, "of planes of channels, for every processor"),
  ),
  "src/kernels/conv/planar-relaxed.gen.ts": renderFile(
    renderModule(planarRelaxed.wasm, "of planes of channels, with relaxed SIMD"),
  ),
  "src/kernels/resize/resampling.gen.ts": renderFile(
    renderTypes(resampling.bindings, "ResamplingKernels"),
    renderModule(resampling.wasm, "of resampling of images of rare dtypes"),
  ),
  "src/kernels/fourier/fourier.gen.ts": renderFile(
    renderTypes(fourier.bindings, "FourierKernels"),
    renderModule(fourier.wasm, "of Fourier transforms"),
  ),
  "src/kernels/random/random.gen.ts": renderFile(
    renderTypes(random.bindings, "RandomKernels"),
    renderModule(random.wasm, "of random numbers"),
  ),
  "src/kernels/copy/copies.gen.ts": renderFile(
    renderTypes(copies.bindings, "CopyKernels"),
    renderModule(copies.wasm, "of all copies"),
  ),
  "src/kernels/sort/ordering.gen.ts": renderFile(
    renderTypes(ordering.bindings, "OrderKernels"),
    renderModule(ordering.wasm, "of order"),
  ),
};
for (const [name, text] of Object.entries(texts)) {
  const target = `${packageDir}/${name}`;
  if (!process.argv.includes("--check")) await writeFile(target, text);
  else if (text !== (await readFile(target, "utf8").catch(() => ""))) {
    console.error(`${name} is stale: run \`pnpm --filter @pt2/backend-wasm kernels\``);
    process.exitCode = 1;
  }
}
console.log(`${sizes.join(", ")} bytes of WebAssembly`);
