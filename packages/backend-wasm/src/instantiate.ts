import { type Kernels, kernelsBase64 } from "./kernels.gen.ts";
import { isShared, withSharedMemory } from "./threads/shared-import.ts";
import { ALONE, type Team } from "./threads/team.ts";
import { unavailable } from "./wasm-errors.ts";

type Memory = "shared" | "own";

const compiled: { [M in Memory]?: WebAssembly.Module } = {};

/** Instantiates the kernels over a memory, which the threads of `team` share. Their module is compiled once per thread. */
export function instantiateKernels(memory: WebAssembly.Memory, team: Team = ALONE): Kernels {
  const code = compile(isShared(memory) ? "shared" : "own");
  const { exports } = new WebAssembly.Instance(code, { env: { memory } });
  const kernels = Object.entries(exports as Record<string, (...args: number[]) => unknown>);
  return Object.fromEntries(kernels.map(([name, run]) => [name, team.shared(code, name, run)])) as unknown as Kernels;
}

function compile(memory: Memory): WebAssembly.Module {
  const known = compiled[memory];
  if (known !== undefined) return known;
  try {
    const bytes = fromBase64(kernelsBase64);
    const code = new WebAssembly.Module(memory === "shared" ? withSharedMemory(bytes) : bytes);
    compiled[memory] = code;
    return code;
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
