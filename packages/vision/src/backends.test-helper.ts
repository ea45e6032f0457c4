import type { Backend } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";

/** What a machine can lack. */
const LACKING = new Set(["libtorch.not-found", "libtorch.no-compiler", "libtorch.platform", "webgpu.no-adapter"]);

/** Returns a backend, or why this machine cannot have it. */
export async function orWhyNot(made: Promise<Backend>): Promise<Backend | string> {
  return await made.catch((problem: unknown) => {
    if (problem instanceof Pt2Error && LACKING.has(problem.code)) return problem.what;
    throw problem;
  });
}
