// Compiles the kernels for CUDA that an op package brings, and asks libtorch for them:
//
//   PT2_PYTHON=PYTHON node -C dev --import tsx packages/backend-libtorch/scripts/check-cuda-kernels.ts MODULE [CAPABILITY…]
//
// MODULE is a file that exports `ops`; capabilities are those of GPUs, 8.0 and 9.0 unless given. Needs a Python with a CUDA
// build of torch, and an nvcc, but no GPU: kernels are compiled, linked, loaded and registered, and not run. No part of CI.
import { resolve } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  describeLibtorch,
  findLibtorch,
  type LibtorchKernelSource,
  type LibtorchSources,
} from "@pt2/backend-libtorch/node";
import type { OpSet } from "@pt2/registry";
import { buildLibrary } from "../src/install/build-library.ts";
import { runCommand } from "../src/install/command.ts";
import { findNvcc } from "../src/install/nvcc.ts";

const [module, ...given] = process.argv.slice(2);
if (module === undefined) throw new Error("name a module that exports ops");
const { ops } = (await import(pathToFileURL(resolve(module)).href)) as { readonly ops: readonly OpSet[] };
const sources = ops
  .flatMap(({ kernels }) => (kernels?.libtorch ?? []) as readonly LibtorchKernelSource[])
  .filter((source): source is LibtorchSources & Required<Pick<LibtorchSources, "cuda">> => "cuda" in source);
if (sources.length === 0) throw new Error(`${module} has no kernels for CUDA`);

const python = process.env.PT2_PYTHON ?? "python3";
const libtorch = await findLibtorch();
const nvcc = await findNvcc(libtorch, process.env);
const capabilities = given.length > 0 ? given : ["8.0", "9.0"];
console.log(`${describeLibtorch(libtorch)}; nvcc ${nvcc.release}; GPUs ${capabilities.join(", ")}`);

/** Loads libraries in Python, and says for each op whether it has a kernel for CUDA. */
const ASK = `
import sys, torch
libraries, names = sys.argv[1].split(","), sys.argv[2].split(",")
for library in libraries:
    torch.ops.load_library(library)
missing = 0
for name in names:
    has = torch._C._dispatch_has_kernel_for_dispatch_key(name, "CUDA")
    missing += not has
    print(name, "registered for CUDA" if has else "NO KERNEL")
sys.exit(missing)
`;

const paths = (files: readonly (string | URL)[]): readonly string[] =>
  files.map((file) => (file instanceof URL ? fileURLToPath(file) : resolve(file)));
for (const { ops: names, sources: files, flags = [], cuda } of sources) {
  const own = await buildLibrary({ sources: paths(files), flags }, libtorch);
  const start = Date.now();
  const options = { sources: paths(cuda.sources), flags: cuda.flags ?? [], capabilities };
  const onGpu = await buildLibrary(options, libtorch);
  console.log(`${onGpu}, ${Math.round((Date.now() - start) / 1000)} s`);
  const args = ["-c", ASK, `${own},${onGpu}`, names.join(",")];
  const { code, lines } = await runCommand(python, args, { env: process.env });
  for (const line of lines) console.log(line);
  if (code !== 0) process.exitCode = 1;
}
console.log("Not run: anything on a GPU.");
