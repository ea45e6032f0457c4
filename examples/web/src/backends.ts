import type { Backend } from "@pt2/runtime";

/** Where programs can run. */
export type BackendId = "webgpu" | "wasm";

/** A backend of this page, and whether this browser can have it. */
export interface BackendOffer {
  readonly id: BackendId;
  readonly label: string;
  /** What it computes with. */
  readonly about: string;
  /** Why this browser cannot; null where it can. */
  readonly missing: string | null;
}

/** What can run programs here, the best first. Loads no backend. */
export async function offers(): Promise<readonly BackendOffer[]> {
  asked ??= askForAdapter();
  return [
    { id: "webgpu", label: "WebGPU", ...(await asked) },
    { id: "wasm", label: "WebAssembly", about: "Computes on the processor, in a worker.", missing: null },
  ];
}

/** The best of what is offered that can be had. */
export function bestOf(offered: readonly BackendOffer[]): BackendOffer | undefined {
  return offered.find(({ missing }) => missing === null);
}

/** The backend itself: code that is not needed before. Made once, and kept. */
export function backend(id: BackendId): Promise<Backend> {
  const known = made.get(id);
  if (known !== undefined) return known;
  const making = MAKERS[id]();
  made.set(id, making);
  making.catch(() => made.delete(id));
  return making;
}

const made = new Map<BackendId, Promise<Backend>>();

const MAKERS: Readonly<Record<BackendId, () => Promise<Backend>>> = {
  webgpu: async () => (await import("@pt2/backend-webgpu")).webgpu(),
  wasm: async () => (await import("@pt2/backend-wasm")).wasm(),
};

type GpuOffer = Pick<BackendOffer, "about" | "missing">;

let asked: Promise<GpuOffer> | undefined;

async function askForAdapter(): Promise<GpuOffer> {
  const about = "Computes on the graphics adapter.";
  if (!isSecureContext) return { about, missing: "WebGPU needs a page that is served over https or from localhost." };
  if (navigator.gpu === undefined) return { about, missing: "This browser has no WebGPU." };
  const adapter = await navigator.gpu.requestAdapter().catch(() => null);
  if (adapter === null) return { about, missing: "This browser has WebGPU, but no graphics adapter that it may use." };
  const { vendor, architecture, description } = adapter.info;
  const name = description || [vendor, architecture].filter(Boolean).join(" ");
  return { about: name === "" ? about : `Computes on the graphics adapter: ${name}.`, missing: null };
}
