import { createRequire } from "node:module";
import { availableParallelism, freemem } from "node:os";
import { dirname } from "node:path";
import { runCommand } from "./command.ts";
import { type Environment, findCommand } from "./environment.ts";
import { installError, numbered } from "./install-errors.ts";

/** The tools that compile the native module. */
export interface Toolchain {
  /** The path of the C++ compiler: `CXX`, or the first on the PATH. */
  readonly compiler: string;
  /** The first line of `--version`. */
  readonly compilerVersion: string;
  /** The path of CMake; without it the compiler is called directly. */
  readonly cmake: string | undefined;
  readonly ninja: string | undefined;
  /** How many compilations run at a time. */
  readonly jobs: number;
}

/** PyTorch's headers make a compiler use about this much memory. */
const BYTES_PER_JOB = 1.5e9;

/** Finds the tools, or throws an error that says how to get a compiler. */
export async function findToolchain(env: Environment): Promise<Toolchain> {
  const compiler = await findCommand(env.CXX ? [env.CXX] : ["c++", "g++", "clang++"], env);
  if (compiler === undefined) {
    throw installError("libtorch.no-compiler", {
      what: "The native module has to be compiled, and there is no C++ compiler",
      where: env.CXX ? `CXX (${env.CXX})` : "c++, g++ and clang++ on the PATH",
      advice: compilerAdvice(),
    });
  }
  const version = await runCommand(compiler, ["--version"], { env, timeoutMs: 20_000 });
  return {
    compiler,
    compilerVersion: version.lines[0] ?? "unknown",
    cmake: await findCommand(["cmake"], env),
    ninja: await findCommand(["ninja", "ninja-build"], env),
    jobs: jobsOf(env),
  };
}

/** Lists what to install to compile C++. */
export function compilerAdvice(): string {
  return process.platform === "darwin"
    ? numbered(["xcode-select --install", "brew install cmake ninja (optional, compiles faster)"])
    : numbered([
        "Debian, Ubuntu: apt-get install -y g++ cmake ninja-build (with sudo)",
        "Fedora, RHEL: dnf install -y gcc-c++ cmake ninja-build (with sudo)",
        "elsewhere: any g++ ≥ 11 or clang++ ≥ 14 on the PATH, or named by CXX",
      ]);
}

function jobsOf(env: Environment): number {
  const asked = Number(env.PT2_BUILD_JOBS);
  if (Number.isSafeInteger(asked) && asked > 0) return asked;
  return Math.max(1, Math.min(availableParallelism(), Math.floor(freemem() / BYTES_PER_JOB)));
}

/**
 * Returns the include folders of Node-API: they are npm packages, so that Node's own headers need not be downloaded.
 */
export function nodeHeaders(): readonly string[] {
  const require = createRequire(import.meta.url);
  const api = require("node-api-headers") as { readonly include_dir: string };
  return [api.include_dir, dirname(require.resolve("node-addon-api/napi.h"))];
}
