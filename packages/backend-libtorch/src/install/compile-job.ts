import type { AddonSources } from "./addon-sources.ts";
import type { Environment } from "./environment.ts";
import type { Libtorch } from "./libtorch.ts";
import type { Toolchain } from "./toolchain.ts";

/** How far a build is. */
export interface BuildProgress {
  /** `wait`: another process builds the same. */
  readonly stage: "wait" | "configure" | "compile";
  /** Steps of the compiler: files and the link. */
  readonly done: number;
  readonly total: number;
  /** The last command line of the compiler. */
  readonly line: string;
}

/** What is compiled with what. */
export interface CompileJob {
  readonly sources: AddonSources;
  readonly libtorch: Libtorch;
  readonly toolchain: Toolchain;
  /** Include folders of Node-API. */
  readonly nodeHeaders: readonly string[];
  /** Include folders of CUDA; none: the module is compiled without it. */
  readonly cudaHeaders: readonly string[];
  /** Where objects and the module go. What is there already is not compiled again if CMake is at work. */
  readonly workFolder: string;
  readonly env: Environment;
  readonly onProgress: (progress: BuildProgress) => void;
}
