import { type Backend, type CompileRequest, unsupportedOps } from "@pt2/backend";
import { type DType, Pt2Error } from "@pt2/format";
import { type Program, walk } from "@pt2/graph";
import { isControl, type OpRegistry } from "@pt2/registry";
import { rewriteProgram } from "../rewrites/rewrite-program.ts";
import type { WideningTarget } from "../rewrites/widen-halves.ts";
import { staticInputs } from "./static-inputs.ts";

/**
 * Compiles a program, rewritten to the form that backends which lower run fastest, or reports everything that is missing
 * in one error. Dtypes in `widened` are computed in float32.
 */
export async function compileChecked<T>(
  { program, registry, precision, signal }: CompileRequest,
  backend: Pick<Backend, "name" | "capabilities" | "unsupported">,
  compile: (program: Program) => Promise<T>,
  widened?: WideningTarget["widened"],
): Promise<T> {
  signal?.throwIfAborted();
  const rewritten = await rewriteProgram(program, registry, {
    name: backend.name,
    exact: precision === "exact",
    widened,
  });
  const requireSupported = async (cause?: unknown): Promise<void> => {
    // A batch norm that is folded need not run by itself. Errors name the ops of the file.
    if ((await backend.unsupported(rewritten, registry)).length === 0) return;
    const missing = await backend.unsupported(program, registry);
    if (missing.length > 0) throw unsupportedOps(backend.name, program, missing, cause);
  };
  if (!isLoweredWhole(program, registry, backend.capabilities.dtypes)) await requireSupported();
  try {
    return await compile(rewritten);
  } catch (error) {
    // Lowering stops at the first op that is missing, but users want to see all of them.
    if (error instanceof Pt2Error && error.code === "registry.unsupported-op") await requireSupported(error);
    throw error;
  }
}

/**
 * Whether compiling alone finds what is missing, because the whole program is lowered at load. Where sizes are open, or
 * a part is lowered only when a run comes to it, or a dtype is not supported, the ops are checked first.
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
