import { BACKEND_API_VERSION } from "@pt2/backend";
import { absentWeights, type WeightTensor } from "@pt2/format";
import { type OptionTypes, wrongOptions } from "@pt2/format/options";
import type { Program } from "@pt2/graph";

/** The options of a load. */
export const LOAD_OPTIONS: OptionTypes = {
  backend: "object",
  ops: "array",
  handlers: "array",
  library: "object",
  model: "string",
  precision: '"fast" | "exact"',
  verifyChecksums: "boolean",
  onProgress: "function",
  onWarning: "function",
  signal: "AbortSignal",
};

/** The options of a run, and of a warmup. */
export const RUN_OPTIONS: OptionTypes = { signal: "AbortSignal", onProgress: "function" };

/** Returns whether options have the types that they must have, which those of callers in plain JavaScript may lack. */
export function areOptions(options: object): boolean {
  const { backend } = options as Readonly<Record<string, unknown>>;
  if (typeof backend !== "object" || backend === null || !("compile" in backend) || !("apiVersion" in backend))
    return false;
  const isBackend = typeof backend.compile === "function" && backend.apiVersion === BACKEND_API_VERSION;
  return isBackend && wrongOptions(options, LOAD_OPTIONS).length === 0;
}

/** The names of the weights that a program needs, and of those that the file lacks. */
export interface NeededWeights {
  readonly needed: readonly string[];
  readonly absent: readonly string[];
}

/** Returns the weights that a program needs, and those of them that the file lacks. */
export function neededWeights(program: Program, weights: ReadonlyMap<string, WeightTensor>): NeededWeights {
  const needed = program.inputs.flatMap((spec) =>
    spec.kind === "parameter" || spec.kind === "buffer" || spec.kind === "tensor_constant" ? spec.target : [],
  );
  const empty = new Set(absentWeights(weights));
  return { needed, absent: needed.filter((target) => empty.has(target) || !weights.has(target)) };
}
