import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Finished, runCommand } from "./command.ts";
import { compileDirectly } from "./compile-directly.ts";
import type { CompileJob } from "./compile-job.ts";

/** The file that a build makes. */
export const ADDON_FILE = "pt2_libtorch.node";

/** Compiles the native module to {@link ADDON_FILE} in the work folder. The outcome's code is 0 when it is there. */
export async function compile(job: CompileJob): Promise<Finished> {
  return job.toolchain.cmake === undefined
    ? await compileDirectly(job)
    : await compileWithCmake(job, job.toolchain.cmake);
}

async function compileWithCmake(job: CompileJob, cmake: string): Promise<Finished> {
  const { sources, libtorch, toolchain, workFolder, env, onProgress } = job;
  const settings = {
    CMAKE_BUILD_TYPE: "Release",
    CMAKE_CXX_COMPILER: toolchain.compiler,
    PT2_LIBTORCH: libtorch.path,
    PT2_CXX11_ABI: libtorch.cxx11Abi ? "1" : "0",
    PT2_NODE_HEADERS: job.nodeHeaders.join(";"),
    PT2_CUDA_HEADERS: job.cudaHeaders.join(";"),
    ...(toolchain.ninja !== undefined && { CMAKE_MAKE_PROGRAM: toolchain.ninja }),
  };
  const generator = toolchain.ninja === undefined ? "Unix Makefiles" : "Ninja";
  onProgress({ stage: "configure", done: 0, total: 1, line: "cmake" });
  const configured = await runCommand(
    cmake,
    [
      "-S",
      sources.folder,
      "-B",
      workFolder,
      "-G",
      generator,
      ...Object.entries(settings).map((s) => `-D${s.join("=")}`),
    ],
    { env },
  );
  // The folder must not be committed, and another project's CMake must not configure it.
  await writeFile(join(workFolder, ".gitignore"), "*\n").catch(() => undefined);
  if (configured.code !== 0) return configured;
  const count = progressOf(sources.units.length + 1, onProgress);
  return await runCommand(cmake, ["--build", workFolder, "--parallel", String(toolchain.jobs)], {
    env: { ...env, NINJA_STATUS: "[%f/%t] " },
    onLine: count,
  });
}

/** Parses the lines of Ninja, which counts its steps, and of make, whose steps are counted here. */
function progressOf(steps: number, onProgress: CompileJob["onProgress"]): (line: string) => void {
  let done = 0;
  let total = steps;
  return (line) => {
    const step = /^\[(?:(\d+)\/(\d+)| *\d+%)\] ((?:Building|Linking) .*)/.exec(line);
    if (step === null) return;
    const [, finished, all, what] = step;
    done = finished === undefined ? done + 1 : Number(finished);
    total = all === undefined ? total : Number(all);
    onProgress({ stage: "compile", done: Math.min(done, total), total, line: what! });
  };
}
