import type { Backend } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import type { LoadOptions } from "@pt2/runtime/node";
import { missingLibtorch, missingWebgpu } from "../backends.ts";

/** The live buffers of a device, and their bytes. */
export interface Buffers {
  readonly count: number;
  readonly bytes: number;
}

/** A backend under load. */
export interface Subject {
  readonly name: string;
  /** Why it is not available here, or null. */
  readonly missing: string | null;
  create(): Promise<{ readonly backend: Backend; readonly buffers: () => Buffers; close(): Promise<void> }>;
  readonly precision?: LoadOptions["precision"];
}

const NONE: Buffers = { count: 0, bytes: 0 };

function plain(
  name: string,
  missing: string | null,
  make: () => Promise<Backend> | Backend,
): Omit<Subject, "precision"> {
  return {
    name,
    missing,
    async create() {
      const backend = await make();
      return { backend, buffers: () => NONE, close: async () => await backend.dispose() };
    },
  };
}

/** Lists every backend, in every way that it may be used, whose name contains `part`. Nothing is loaded for others. */
export async function subjects(part = ""): Promise<readonly Subject[]> {
  const isWanted = (name: string): boolean => name.includes(part);
  const noLibtorch = ["libtorch, fast", "libtorch, exact"].some(isWanted) ? await missingLibtorch() : null;
  const noWebgpu = isWanted("webgpu") ? await missingWebgpu() : null;
  const all: readonly Subject[] = [
    plain("wasm, worker", null, () => wasm()),
    // The memory of threads of this one is read from snapshots, and a helper that waits for work is not in a state to make one.
    plain("wasm, calling thread", null, () => wasm({ worker: false, threads: 1 })),
    { name: "webgpu", missing: noWebgpu, create: webgpuWithCounts },
    { ...plain("libtorch, fast", noLibtorch, () => libtorch()), precision: "fast" },
    { ...plain("libtorch, exact", noLibtorch, () => libtorch()), precision: "exact" },
  ];
  return all.filter(({ name }) => isWanted(name));
}

/** Starts Dawn, once, since all that it made belongs to it. */
async function startGpu(): Promise<GPU> {
  const { create, globals } = await import("webgpu");
  Object.assign(globalThis, globals);
  return create([]);
}

let starting: Promise<GPU> | undefined;

async function webgpuWithCounts(): ReturnType<Subject["create"]> {
  starting ??= startGpu();
  const gpu = await starting;
  const adapter = await gpu.requestAdapter();
  if (adapter === null) throw new Error("the adapter is gone");
  const live = new Map<GPUBuffer, number>();
  const backend = await webgpu({
    adapter: {
      features: adapter.features,
      limits: adapter.limits,
      info: adapter.info,
      requestDevice: async (descriptor?: GPUDeviceDescriptor) => counted(await adapter.requestDevice(descriptor), live),
    } as GPUAdapter,
  });
  return {
    backend,
    buffers: () => ({ count: live.size, bytes: [...live.values()].reduce((sum, size) => sum + size, 0) }),
    close: async () => await backend.dispose(),
  };
}

/** Returns a device whose buffers are counted, from when they are created until they are destroyed. */
function counted(device: GPUDevice, live: Map<GPUBuffer, number>): GPUDevice {
  const { createBuffer } = device;
  device.createBuffer = (descriptor) => {
    const buffer = createBuffer.call(device, descriptor);
    const { destroy } = buffer;
    live.set(buffer, descriptor.size);
    buffer.destroy = () => {
      live.delete(buffer);
      return destroy.call(buffer);
    };
    return buffer;
  };
  return device;
}
