import { type CompileRequest, findUnsupported, type UnsupportedOp } from "@pt2/backend";
import { type DType, Pt2Error } from "@pt2/format";
import { type Program, walk } from "@pt2/graph";
import { isControl, type OpRegistry } from "@pt2/registry";
import { hasDynamicKernel, kernelsOf, targetOf } from "./engine/create-state.ts";
import { staticInputs } from "./engine/static-inputs.ts";
import { wasmError } from "./wasm-errors.ts";

/** The ops of a program that have neither a kernel here nor a decomposition into ops that have one. */
export function unsupportedOps(
  program: Program,
  registry: OpRegistry,
  dtypes: readonly DType[],
): readonly UnsupportedOp[] {
  return findUnsupported(program, registry, { target: targetOf(kernelsOf(registry)), dtypes, hasDynamicKernel });
}

/** Compiles a program, or says everything that is missing in one error. */
export async function compileChecked<T>(
  { program, registry, signal }: CompileRequest,
  dtypes: readonly DType[],
  compile: () => Promise<T>,
): Promise<T> {
  const requireSupported = (cause?: unknown): void => {
    const missing = unsupportedOps(program, registry, dtypes);
    if (missing.length > 0) throw unsupportedError(missing, cause);
  };
  signal?.throwIfAborted();
  if (!isLoweredWhole(program, registry, dtypes)) requireSupported();
  try {
    return await compile();
  } catch (error) {
    // Lowering stops at the first op that is missing; people want to know all of them.
    if (error instanceof Pt2Error && error.code === "registry.unsupported-op") requireSupported(error);
    throw error;
  }
}

/**
 * Whether compiling alone tells what is missing: the whole program is lowered at load then. Where sizes are open, or a
 * part is lowered only when a run comes to it, or a dtype is not known here, somebody has to look first.
 */
function isLoweredWhole(program: Program, registry: OpRegistry, dtypes: readonly DType[]): boolean {
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
function unsupportedError(missing: readonly UnsupportedOp[], cause?: unknown): Pt2Error {
  const lines = missing.map(({ op, count, where, why }) => `  ${op} ×${count}: ${why}; first ${where}`);
  return wasmError("wasm.unsupported-ops", {
    what: [`The wasm backend cannot run ${missing.length} ops of this program:`, ...lines].join("\n"),
    where: missing[0]?.where,
    advice: "Give load() a handler or an op set that has them, or choose a backend that runs them.",
    details: { unsupported: missing },
    cause,
  });
}
