import type { Backend } from "@pt2/backend";
import type { OpSet } from "@pt2/registry";
import type { Arguments } from "./arguments.ts";

/** A backend, and torchvision's ops with kernels for it. */
export interface Ready {
  readonly backend: Backend;
  readonly ops: readonly OpSet[];
}

/** The backend that the user wants. The code of the other one is not loaded: libtorch need not be there for wasm. */
export async function ready(name: Arguments["backend"]): Promise<Ready> {
  if (name === "libtorch") {
    const { libtorch } = await import("@pt2/backend-libtorch/node");
    const { torchvision } = await import("@pt2/ops-torchvision/libtorch");
    return { backend: await libtorch(), ops: [torchvision] };
  }
  const { wasm } = await import("@pt2/backend-wasm/node");
  const { torchvision } = await import("@pt2/ops-torchvision/wasm");
  return { backend: wasm(), ops: [torchvision] };
}
