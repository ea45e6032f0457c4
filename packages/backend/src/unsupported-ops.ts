import type { Pt2Error } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { backendError } from "./backend-errors.ts";
import type { UnsupportedOp } from "./contract.ts";

/**
 * Makes the error for a program with ops that a backend cannot run. It names all of them, and how often each occurs.
 */
export function unsupportedOps(
  backend: string,
  { dialect }: Pick<Program, "dialect">,
  missing: readonly UnsupportedOp[],
  cause?: unknown,
): Pt2Error {
  const nodes = missing.reduce((sum, { count }) => sum + count, 0);
  const decomposes = dialect === "TRAINING" && missing.some(({ op }) => op.startsWith("aten::"));
  return backendError("runtime.unsupported-ops", {
    what: [
      `The backend \`${backend}\` cannot run ${plural(missing.length, "op")} of this program (${plural(nodes, "node")}):`,
      ...missing.map(({ op, count, where, why }) => `  ${op} ×${count}: ${why}; first ${where}`),
    ].join("\n"),
    where: missing[0]?.where,
    advice: [
      "pass the op package that defines them (`ops`), a handler of your own (`handlers`), or another backend",
      decomposes ? "; or export with `run_decompositions()`, which leaves simpler ops" : "",
    ].join(""),
    details: { backend, unsupported: missing },
    ...(cause === undefined ? {} : { cause }),
  });
}

function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
