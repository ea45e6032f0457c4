import { findUnsupported, type UnsupportedOp } from "@pt2/backend";
import { type DType, Pt2Error } from "@pt2/format";
import { type Program, walk } from "@pt2/graph";
import { isControl, type OpRegistry } from "@pt2/registry";
import { hasDynamicKernel, kernelsOf, targetOf } from "./engine/create-state.ts";
import { staticInputs } from "./engine/static-inputs.ts";

/** The ops of a program that have neither a kernel here nor a decomposition into ops that have one. */
export function unsupportedOps(
  program: Program,
  registry: OpRegistry,
  dtypes: readonly DType[],
): readonly UnsupportedOp[] {
  return findUnsupported(program, registry, { target: targetOf(kernelsOf(registry)), dtypes, hasDynamicKernel });
}

/**
 * Whether compiling alone tells what is missing: the whole program is lowered at load then. Where sizes are open, or a
 * part is lowered only when a run comes to it, or a dtype is not known here, somebody has to look first.
 */
export function isLoweredWhole(program: Program, registry: OpRegistry, dtypes: readonly DType[]): boolean {
  if (staticInputs(program) === null) return false;
  for (const type of program.graph.values.values()) {
    if (type.kind === "tensor" && !dtypes.includes(type.dtype)) return false;
  }
  let whole = true;
  walk(program.graph, ({ op }) => {
    if (isControl(op) || registry.handlerOf(op)?.compile !== undefined) whole = false;
    else if (registry.resolve(op)?.dynamic !== undefined) whole = false;
  });
  return whole;
}

/** One error that names every missing op. */
export function unsupportedError(missing: readonly UnsupportedOp[], cause?: unknown): Pt2Error {
  const lines = missing.map(({ op, count, where, why }) => `  ${op} ×${count}: ${why}; first ${where}`);
  return new Pt2Error("wasm.unsupported-ops", {
    what: [`The wasm backend cannot run ${missing.length} ops of this program:`, ...lines].join("\n"),
    where: missing[0]?.where,
    advice: "Give load() a handler or an op set that has them, or choose a backend that runs them.",
    details: { unsupported: missing },
    cause,
  });
}
