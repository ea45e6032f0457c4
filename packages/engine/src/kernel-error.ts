import { backendError } from "@pt2/backend";
import type { Pt2Error } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { describeNode } from "@pt2/registry";

/** What was being computed: a call, or the op of a graph break. */
export interface CallSite {
  readonly record: { readonly name: string };
  readonly packaged?: true | undefined;
  /** Absent where no call is known, as while kernels are asked which calls they take. */
  readonly node?: Node;
}

/** What is wrong with a kernel. */
export interface KernelProblem {
  /** The end of a sentence about the kernel: `fails`. */
  readonly what: string;
  readonly advice?: string;
  /** The index of the result that it is about. */
  readonly result?: number;
  readonly cause?: unknown;
}

/** Makes the error about a kernel that a user brought. */
export function kernelError({ record, node }: CallSite, { what, advice, result, cause }: KernelProblem): Pt2Error {
  return backendError("backend.kernel", {
    what: `The kernel that an op set brings for ${record.name} ${what}`,
    where: node && describeNode(node),
    advice: advice ?? "Correct the kernel in the op set that was given to `load`.",
    details: { op: record.name, ...(result !== undefined && { result }) },
    cause,
  });
}
