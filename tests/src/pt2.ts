import { fileURLToPath } from "node:url";
import { type Captured, captureScript } from "./capture.ts";

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

/** Runs `pt2` from its sources, in a process of its own. */
export function pt2(...args: readonly string[]): Promise<Captured> {
  return captureScript([MAIN, ...args]);
}
