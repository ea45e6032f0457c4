import type { Backend } from "@pt2/backend";

/** Where the model can run. */
export type BackendId = "webgpu" | "wasm";

/** Names as the page shows them. */
export const NAMES: Readonly<Record<BackendId, string>> = { webgpu: "WebGPU", wasm: "WebAssembly" };

const MAKERS: Readonly<Record<BackendId, () => Promise<Backend>>> = {
  // Logits and caches stay on the GPU; one token at a time is read.
  webgpu: async () => await (await import("@pt2/backend-webgpu")).webgpu({ outputs: "device" }),
  wasm: async () => (await import("@pt2/backend-wasm")).wasm(),
};

const made = new Map<BackendId, Promise<Backend>>();

/** The backend: code that is loaded when it is asked for. Made once, and kept; one that could not be had may be asked for again. */
export function backendOf(id: BackendId): Promise<Backend> {
  const known = made.get(id);
  if (known !== undefined) return known;
  const making = MAKERS[id]();
  made.set(id, making);
  making.catch(() => made.delete(id));
  return making;
}

/** Whether this browser has WebGPU. Loads no backend. */
export async function hasWebgpu(): Promise<boolean> {
  return ((await navigator.gpu?.requestAdapter().catch(() => null)) ?? null) !== null;
}
