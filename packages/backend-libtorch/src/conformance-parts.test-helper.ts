import { SUITE_PARTS, type SuitePart } from "@pt2/conformance";

const REFUSALS: readonly SuitePart[] = ["indices", "arguments", "errors"];
const allButRefusals = SUITE_PARTS.filter((part) => !REFUSALS.includes(part));

type Share = "cuda" | "exact" | "ops" | "refusals";

/** Which parts of the suite each `conformance-NAME.test.ts` runs, by NAME. */
export const SHARES: Readonly<Record<Share, readonly SuitePart[]>> = {
  // A GPU draws other random numbers than the CPU, which drew those of the goldens.
  cuda: allButRefusals.filter((part) => part !== "random"),
  exact: allButRefusals,
  ops: allButRefusals,
  refusals: ["arguments", "errors"],
};

/**
 * What no file runs. Its kernels are PyTorch's own, which refuse what PyTorch refuses; `index-checks.test.ts` has indices
 * that they do not check.
 */
export const NOT_RUN: readonly SuitePart[] = ["indices"];
