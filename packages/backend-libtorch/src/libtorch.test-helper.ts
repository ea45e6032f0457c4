import { cpus } from "node:os";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { describe, it } from "vitest";
import { type LoadedAddon, loadAddon } from "./install/load-addon.ts";

/** Anything else that goes wrong, such as a source that does not compile, is a failure. */
const outcome: LoadedAddon | string = await orWhyNot(loadAddon());

/** Why tests that need libtorch are skipped here, to be appended to their names; empty where they run. */
export const missingLibtorch: string =
  typeof outcome === "string" ? ` (skipped: ${outcome}; run \`pnpm run setup\`)` : "";

/** The native module, for tests that {@link missingLibtorch} lets run. */
export function nativeModule(): LoadedAddon {
  if (typeof outcome === "string") throw new Error(outcome);
  return outcome;
}

/** Why masks of dropout and exponential numbers are not those of the goldens here; null where they are. */
const drawnElsewhere: string | null = cpus()[0]?.model.includes("Intel")
  ? "on CPUs by Intel PyTorch draws these numbers from MKL's generator"
  : null;

/** The random streams that are drawn elsewhere here. */
export const DRAWN_ELSEWHERE: Readonly<Record<string, string>> = drawnElsewhere
  ? Object.fromEntries(
      ["dropout", "samples", ...["float32", "float64", "float16", "bfloat16"].map((d) => `distributions of ${d}`)].map(
        (stream) => [`random: ${stream}`, drawnElsewhere],
      ),
    )
  : {};

/** A `describe` whose tests need the native module: where it is absent they become one skipped test with the reason. */
export function describeWithLibtorch(name: string, define: (native: LoadedAddon) => void): void {
  if (typeof outcome === "string") it.skip(`${name}${missingLibtorch}`);
  else describe(name, () => define(outcome));
}
