import type { Exceptions } from "@pt2/conformance";

/** What this backend refuses, and why it may. */
export const CONFORMANCE_UNSUPPORTED: Exceptions = {
  "aten::to.prim_dtype":
    "an overload of TorchScript, which the dispatcher does not have; torch.export does not write it",
};
