import { backendError } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { type Call, describeNode, type LoweredTensor, tensorsIn } from "@pt2/registry";

/** What was being computed: a call, or the op of a graph break. */
export interface CallSite {
  readonly record: { readonly name: string };
  readonly packaged?: true | undefined;
  readonly node: Node;
}

/** Refuses what the kernel of an op set planned if a result has no memory, or nothing that computes it. */
export function requireResults(call: Call, problemOf: (result: LoweredTensor) => string | null): void {
  if (!call.packaged) return;
  for (const [i, result] of call.results.flatMap(tensorsIn).entries()) {
    const problem = result.shape.includes(0) ? null : problemOf(result);
    if (problem !== null) throw kernelError(call, `${problem} result ${i}`);
  }
}

/** Makes the error about a kernel that a user brought. */
export function kernelError({ record, node }: CallSite, what: string, cause?: unknown): Pt2Error {
  return backendError("backend.kernel", {
    what: `The kernel that an op set brings for ${record.name} ${what}`,
    where: describeNode(node),
    advice: "Correct the kernel in the op set that was given to `load`.",
    details: { op: record.name },
    cause,
  });
}
