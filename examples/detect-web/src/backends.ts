import type { Backend } from "@pt2/backend";
import type { OpSet } from "@pt2/registry";

/** Where the detector can run. */
export type BackendId = "webgpu" | "wasm";

/** A backend, and torchvision's ops with kernels for it. */
export interface Ready {
  readonly backend: Backend;
  readonly ops: readonly OpSet[];
}

/** Names as the page shows them. */
export const NAMES: Readonly<Record<BackendId, string>> = { webgpu: "WebGPU", wasm: "WebAssembly" };

const MAKERS: Readonly<Record<BackendId, () => Promise<Ready>>> = {
  async webgpu() {
    const [{ webgpu }, { torchvision }] = await Promise.all([
      import("@pt2/backend-webgpu"),
      import("@pt2/ops-torchvision/webgpu"),
    ]);
    return { backend: await webgpu(), ops: [torchvision] };
  },
  async wasm() {
    const [{ wasm }, { torchvision }] = await Promise.all([
      import("@pt2/backend-wasm"),
      import("@pt2/ops-torchvision/wasm"),
    ]);
    return { backend: wasm(), ops: [torchvision] };
  },
};

const made = new Map<BackendId, Promise<Ready>>();

/** The backend: code that is loaded when it is asked for. Made once, and kept; one that could not be had may be asked for again. */
export function ready(id: BackendId): Promise<Ready> {
  const known = made.get(id);
  if (known !== undefined) return known;
  const making = MAKERS[id]();
  made.set(id, making);
  making.catch(() => made.delete(id));
  return making;
}

/** Why this browser has no WebGPU; null where it has. Loads no backend. */
export async function missingWebgpu(): Promise<string | null> {
  if (!isSecureContext) return "WebGPU needs a page that is served over https or from localhost.";
  if (navigator.gpu === undefined) return "This browser has no WebGPU.";
  const adapter = await navigator.gpu.requestAdapter().catch(() => null);
  return adapter === null ? "This browser has WebGPU, but no graphics adapter that it may use." : null;
}
