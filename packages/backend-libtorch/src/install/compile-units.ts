import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { type Finished, runCommand } from "./command.ts";
import type { BuildProgress } from "./compile-job.ts";
import type { Environment } from "./environment.ts";
import type { Toolchain } from "./toolchain.ts";

/** Files to compile and to link. */
export interface UnitsJob {
  readonly toolchain: Pick<Toolchain, "compiler" | "jobs">;
  readonly units: readonly { readonly name: string; readonly source: string; readonly object: string }[];
  /** The flags that compile a file. */
  readonly flags: readonly string[];
  /** The flags that link the objects, these included. */
  readonly linkFlags: readonly string[];
  readonly env: Environment;
  readonly onProgress: (progress: BuildProgress) => void;
}

/** Compiles files, several at a time, and links them. The first failure ends it. */
export async function compileUnits(job: UnitsJob): Promise<Finished> {
  const { toolchain, units, flags, env, onProgress } = job;
  const total = units.length + 1;
  const waiting = [...units];
  const failures: Finished[] = [];
  let done = 0;
  const worker = async (): Promise<void> => {
    for (let unit = waiting.shift(); unit !== undefined && failures.length === 0; unit = waiting.shift()) {
      const { name, source, object } = unit;
      await mkdir(dirname(object), { recursive: true });
      const finished = await runCommand(toolchain.compiler, [...flags, "-o", object, "-c", source], { env });
      if (finished.code !== 0) failures.push(finished);
      onProgress({ stage: "compile", done: ++done, total, line: `Building ${name}` });
    }
  };
  await Promise.all(Array.from({ length: toolchain.jobs }, worker));
  if (failures[0] !== undefined) return failures[0];
  const linked = await runCommand(toolchain.compiler, job.linkFlags, { env });
  onProgress({ stage: "compile", done: total, total, line: "Linking" });
  return linked;
}
