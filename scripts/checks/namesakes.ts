import { filesIn, readText } from "../workspace.ts";
import type { Check } from "./problem.ts";

const [ONE, OTHER] = ["packages/backend-wasm/src/engine/", "packages/backend-webgpu/src/engine/"];
const MOST_SHARED = 15;

/** What both engines do is written once, in `@pt2/engine`: files of one name say different things. */
export const namesakes: Check = {
  name: "namesakes",
  run(report) {
    const others = new Set(filesIn(OTHER, ".ts"));
    const pairs = filesIn(ONE, ".ts")
      .filter((file) => !/\.test(-helper)?\.ts$/.test(file))
      .map((file) => ({ file, other: OTHER + file.slice(ONE.length) }))
      .filter(({ other }) => others.has(other));
    const counted = pairs.map(({ file, other }) => ({ file, shared: sharedLines(readText(file), readText(other)) }));
    report(
      `${counted.length} names in both engines, at most ${Math.max(0, ...counted.map(({ shared }) => shared))} lines alike`,
    );
    return counted
      .filter(({ shared }) => shared > MOST_SHARED)
      .map(({ file, shared }) => ({
        where: file,
        what: `shares ${shared} lines with its namesake in ${OTHER}; at most ${MOST_SHARED} may be alike`,
        advice: "move what both do to packages/engine",
      }));
  },
};

/** Lines that two files have in common, each as often as both have it; braces and imports do not count. */
function sharedLines(one: string, other: string): number {
  const left = new Map<string, number>();
  for (const line of linesOf(one)) left.set(line, (left.get(line) ?? 0) + 1);
  return linesOf(other).filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count > 0;
  }).length;
}

function linesOf(text: string): readonly string[] {
  return text
    .replaceAll(/^(?:import|export)\s[^;]*?\sfrom\s[^;]*;$/gm, "")
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => /\w/.test(line));
}
