// A page gets this module instead of `@pt2/backend-libtorch/node`, because libtorch is native code.
import { INSTALL_ERRORS, installError } from "./install/install-errors.ts";

export { LIBTORCH_ERRORS } from "./libtorch-errors.ts";
export { INSTALL_ERRORS };

function nodeEntry(): Error {
  return installError("libtorch.node-entry", {
    what: "@pt2/backend-libtorch runs native code, which needs Node; this is a page",
    advice: "Compute on @pt2/backend-webgpu or @pt2/backend-wasm.",
  });
}

/** Rejects, because libtorch needs Node. */
export async function libtorch(): Promise<never> {
  throw nodeEntry();
}

/** A backend that cannot be made, because libtorch needs Node. */
export class LibtorchBackend {
  constructor() {
    throw nodeEntry();
  }
}

export {
  libtorch as buildAddon,
  libtorch as clearKeptWeights,
  libtorch as describeLibtorch,
  libtorch as findBuiltAddon,
  libtorch as findLibtorch,
  libtorch as installLibtorch,
  libtorch as loadAddon,
  libtorch as searchLibtorch,
};
