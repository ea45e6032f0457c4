import { type Kernels, kernelsBase64 } from "./kernels.gen.ts";
import { unavailable } from "./wasm-errors.ts";

let compiled: WebAssembly.Module | null = null;

/** Instantiates the kernels over a memory. Their module is compiled once per thread. */
export function instantiateKernels(memory: WebAssembly.Memory): Kernels {
  compiled ??= compile();
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernels;
}

function compile(): WebAssembly.Module {
  try {
    return new WebAssembly.Module(fromBase64(kernelsBase64));
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
