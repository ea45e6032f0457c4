import type { AddonSources } from "./addon-sources.ts";
import type { Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";
import type { Toolchain } from "./toolchain.ts";

/** The progress of a build. */
export interface BuildProgress {
  /** The stage; `wait`: another process builds the same. */
  readonly stage: "wait" | "configure" | "compile";
  /** The finished steps of the compiler: files and the link. */
  readonly done: number;
  readonly total: number;
  /** The last command line of the compiler. */
  readonly line: string;
}

/** A build of the native module: its sources, its libtorch and its tools. */
export interface CompileJob {
  readonly sources: AddonSources;
  readonly libtorch: Libtorch;
  readonly toolchain: Toolchain;
  /** The include folders of Node-API. */
  readonly nodeHeaders: readonly string[];
  /** The include folders of CUDA; without any the module is compiled without CUDA. */
  readonly cudaHeaders: readonly string[];
  /** The folder of objects and of the module. CMake does not compile again what is there already. */
  readonly workFolder: string;
  readonly env: Environment;
  readonly onProgress: (progress: BuildProgress) => void;
}
