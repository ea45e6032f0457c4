import { mkdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Finished, runCommand } from "./command.ts";
import type { CompileJob } from "./compile-job.ts";

/** Compiles without CMake, with the flags that `native/CMakeLists.txt` gives; a test compares them. */
export async function compileDirectly(job: CompileJob): Promise<Finished> {
  const { sources, toolchain, workFolder, env, onProgress } = job;
  const { units } = sources;
  const total = units.length + 1;
  const objectOf = (unit: string): string => join(workFolder, `${unit}.o`);
  const flags = compileFlags(job);
  const waiting = [...units];
  const failures: Finished[] = [];
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit !== undefined && failures.length === 0; unit = waiting.shift()) {
      const object = objectOf(unit);
      await mkdir(dirname(object), { recursive: true });
      const finished = await runCommand(
        toolchain.compiler,
        [...flags, "-o", object, "-c", join(sources.folder, unit)],
        { env },
      );
      if (finished.code !== 0) failures.push(finished);
      onProgress({ stage: "compile", done: ++done, total, line: `Building ${unit}` });
    }
  };
  await Promise.all(Array.from({ length: toolchain.jobs }, worker));
  if (failures[0] !== undefined) return failures[0];
  const linked = await runCommand(toolchain.compiler, linkFlags(job, units.map(objectOf)), { env });
  onProgress({ stage: "compile", done: total, total, line: "Linking" });
  return linked;
}

/** Returns the flags that compile a file. */
export function compileFlags({ sources, libtorch, nodeHeaders, cudaHeaders, env }: CompileJob): readonly string[] {
  const include = join(libtorch.path, "include");
  const system = [...nodeHeaders, include, join(include, "torch/csrc/api/include"), ...cudaHeaders];
  const definitions = [
    "BUILDING_NODE_EXTENSION",
    "NAPI_CPP_EXCEPTIONS",
    "NAPI_VERSION=8",
    "NODE_ADDON_API_DISABLE_DEPRECATED",
    ...(cudaHeaders.length > 0 ? ["PT2_CUDA"] : []),
    `_GLIBCXX_USE_CXX11_ABI=${libtorch.cxx11Abi ? 1 : 0}`,
  ];
  return [
    ...(env.CXXFLAGS ?? "").split(/\s+/).filter((flag) => flag !== ""),
    ...definitions.map((definition) => `-D${definition}`),
    `-I${join(sources.folder, "src")}`,
    ...system.flatMap((folder) => ["-isystem", folder]),
    ...["-O2", "-DNDEBUG", "-std=c++20", "-fPIC", "-fvisibility=hidden"],
    ...["-Wall", "-Wextra", "-Wno-unused-parameter"],
    ...OPENMP,
  ];
}

/**
 * `at::parallel_for` is inline and serial without this flag. libtorch on macOS has an OpenMP that compilers there lack.
 */
const OPENMP: readonly string[] = process.platform === "darwin" ? [] : ["-fopenmp"];

function linkFlags({ libtorch, workFolder }: CompileJob, objects: readonly string[]): readonly string[] {
  const lib = join(libtorch.path, "lib");
  const names = ["torch", "torch_cpu", "c10", ...(libtorch.build === "cuda" ? ["torch_cuda", "c10_cuda"] : [])];
  const kind =
    process.platform === "darwin"
      ? ["-bundle", "-undefined", "dynamic_lookup"]
      : ["-shared", "-Wl,--no-as-needed", "-Wl,--disable-new-dtags"];
  return [
    ...kind,
    ...["-o", join(workFolder, "pt2_libtorch.node"), ...objects, `-L${lib}`, `-Wl,-rpath,${lib}`],
    ...names.map((name) => `-l${name}`),
    ...OPENMP,
  ];
}
