import type { Kernels } from "./kernels.gen.ts";
import { hasRelaxedSimd } from "./relaxed-simd.ts";
import { isShared, withSharedMemory } from "./threads/shared-import.ts";
import { ALONE, type Team } from "./threads/team.ts";
import { engineNotLoaded, unavailable } from "./wasm-errors.ts";

/** Instantiates the kernels over a memory, which the threads of `team` share. */
export type InstantiateKernels = (memory: WebAssembly.Memory, team?: Team) => Kernels;

let loaded: Promise<InstantiateKernels> | null = null;

/** Loads the kernel module that suits this engine, once for a thread; a load that failed is tried again. */
export function loadKernels(): Promise<InstantiateKernels> {
  loaded ??= load().catch((error) => {
    loaded = null;
    throw error;
  });
  return loaded;
}

async function load(): Promise<InstantiateKernels> {
  return instantiate<Kernels>((await suitable().catch(notLoaded)).kernelsBase64);
}

/** Returns what instantiates a kernel module, which is compiled when that is first called. */
export function instantiate<Exports>(kernelsBase64: string): (memory: WebAssembly.Memory, team?: Team) => Exports {
  const bytes = fromBase64(kernelsBase64);
  // A module takes a memory of one kind. Most threads only meet one.
  const compiled: { own?: WebAssembly.Module; shared?: WebAssembly.Module } = {};
  return (memory, team = ALONE) => {
    const kind = isShared(memory) ? "shared" : "own";
    compiled[kind] ??= compile(kind === "shared" ? withSharedMemory(bytes) : bytes);
    const code = compiled[kind];
    const { exports } = new WebAssembly.Instance(code, { env: { memory } });
    const functions = Object.entries(exports as Record<string, (...args: number[]) => unknown>);
    return Object.fromEntries(functions.map(([name, run]) => [name, team.shared(code, name, run)])) as Exports;
  };
}

function suitable(): Promise<{ readonly kernelsBase64: string }> {
  if (!hasRelaxedSimd()) return import("./kernels-plain.gen.ts");
  return keepsTwelveAccumulators() ? import("./kernels-relaxed6.gen.ts") : import("./kernels-relaxed4.gen.ts");
}

function notLoaded(cause: unknown): never {
  throw engineNotLoaded(cause);
}

/**
 * Whether the engine keeps the twelve accumulators of a tile of six rows in registers. V8 12, of Node 21 to 23, loads operands so
 * early that it spills some; browsers with a V8 that old are no longer around. Firefox spills some, too.
 */
function keepsTwelveAccumulators(): boolean {
  const { process, navigator } = globalThis as {
    readonly process?: { readonly versions?: { readonly v8?: string } };
    readonly navigator?: { readonly userAgent?: string };
  };
  if (navigator?.userAgent?.includes("Firefox/")) return false;
  return Number.parseInt(process?.versions?.v8 ?? "13", 10) >= 13;
}

function compile(bytes: Uint8Array<ArrayBuffer>): WebAssembly.Module {
  try {
    return new WebAssembly.Module(bytes);
  } catch (cause) {
    throw unavailable(
      `WebAssembly may not compile the kernels: ${cause instanceof Error ? cause.message : cause}`,
      cause,
    );
  }
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
