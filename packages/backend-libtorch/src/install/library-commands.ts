import { join } from "node:path";
import type { Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";
import type { Nvcc } from "./nvcc.ts";
import type { Toolchain } from "./toolchain.ts";

/** What compiles and links a library of ops, and with which flags. */
export interface LibraryCommands {
  readonly compiler: string;
  readonly flags: readonly string[];
  readonly linkFlags: readonly string[];
}

/** The flags of a library itself. */
interface OwnFlags {
  readonly flags?: readonly string[];
}

/** Returns how a library in C++ is compiled. */
export function commandsForCpu(
  { flags = [] }: OwnFlags,
  libtorch: Libtorch,
  { compiler }: Toolchain,
  env: Environment,
): LibraryCommands {
  const lib = join(libtorch.path, "lib");
  const linkFlags = [`-L${lib}`, `-Wl,-rpath,${lib}`, "-ltorch_cpu", "-lc10"];
  return { compiler, flags: [...hostFlags(env), ...commonFlags(libtorch), ...flags], linkFlags };
}

/**
 * Returns how a library in CUDA is compiled for GPUs of some compute capabilities. nvcc has C++ compiled by the compiler of
 * C++, and links CUDA's runtime statically: what it generates calls functions of its own version, which that of libtorch
 * may lack.
 */
export function commandsForGpus(
  { flags = [] }: OwnFlags,
  capabilities: readonly string[],
  { compiler }: Nvcc,
  libtorch: Libtorch,
  toolchain: Toolchain,
  env: Environment,
): LibraryCommands {
  const lib = join(libtorch.path, "lib");
  const target = [
    ...["-ccbin", toolchain.compiler],
    ...capabilities.map((capability) => {
      const number = capability.replace(".", "");
      return `-gencode=arch=compute_${number},code=sm_${number}`;
    }),
  ];
  const host = hostFlags(env).flatMap((flag) => ["-Xcompiler", flag]);
  const ofCuda = ["-DUSE_CUDA", "--expt-relaxed-constexpr"];
  return {
    compiler,
    flags: [...target, ...host, ...commonFlags(libtorch), ...ofCuda, ...flags],
    linkFlags: [...target, `-L${lib}`, "-Xlinker", `-rpath=${lib}`, "-ltorch_cuda", "-ltorch_cpu", "-lc10"],
  };
}

/** The flags that only the compiler of C++ knows. */
function hostFlags(env: Environment): readonly string[] {
  const given = (env.CXXFLAGS ?? "").split(/\s+/).filter((flag) => flag !== "");
  return [...given, "-fPIC", "-fvisibility=hidden"];
}

function commonFlags({ path, cxx11Abi }: Libtorch): readonly string[] {
  const include = join(path, "include");
  return [
    `-D_GLIBCXX_USE_CXX11_ABI=${cxx11Abi ? 1 : 0}`,
    ...["-isystem", include, "-isystem", join(include, "torch/csrc/api/include")],
    ...["-std=c++20", "-O2", "-DNDEBUG"],
  ];
}
