import type { Exceptions } from "@pt2/conformance";

/** What this backend refuses, and why it may. */
export const UNSUPPORTED: Exceptions = {
  "aten::to.prim_dtype": "an overload of TorchScript, whose dtype is a bare int; torch.export does not write it",
};
