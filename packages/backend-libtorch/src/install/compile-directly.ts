import { join } from "node:path";
import type { Finished } from "./command.ts";
import type { CompileJob } from "./compile-job.ts";
import { compileUnits } from "./compile-units.ts";

/** Compiles without CMake, with the flags that `native/CMakeLists.txt` gives; a test compares them. */
export async function compileDirectly(job: CompileJob): Promise<Finished> {
  const { sources, workFolder } = job;
  const units = sources.units.map((unit) => ({
    name: unit,
    source: join(sources.folder, unit),
    object: join(workFolder, `${unit}.o`),
  }));
  const link = linkFlags(
    job,
    units.map(({ object }) => object),
  );
  return await compileUnits({ ...job, units, flags: compileFlags(job), linkFlags: link });
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
