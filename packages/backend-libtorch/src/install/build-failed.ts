import type { Pt2Error } from "@pt2/format";
import { installError } from "./install-errors.ts";
import type { Libtorch } from "./libtorch.ts";
import { compilerAdvice, type Toolchain } from "./toolchain.ts";

const LAST_LINES = 30;

/** Describes a build that failed by the compiler's lines from the first error on. `name` begins the sentence. */
export function buildFailed(
  name: string,
  lines: readonly string[],
  { compiler, compilerVersion, cmake }: Toolchain,
  libtorch: Libtorch,
): Pt2Error {
  const first = lines.findIndex((line) => /\b(?:error|Error):?\s/.test(line));
  const last = first < 0 ? lines.slice(-LAST_LINES) : lines.slice(first, first + LAST_LINES);
  return installError("libtorch.build-failed", {
    what: `${name} could not be compiled for torch ${libtorch.version}\n${last.map((line) => `  | ${line}`).join("\n")}`,
    where: `${compiler} (${compilerVersion})${cmake === undefined ? ", without CMake" : `, ${cmake}`}`,
    advice: `see the compiler's lines above; a complete and recent compiler is needed:${compilerAdvice()}`,
    details: { lines, compiler, compilerVersion, libtorch },
  });
}
