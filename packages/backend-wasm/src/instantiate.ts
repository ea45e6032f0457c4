import { type Kernels, kernelsBase64 } from "./kernels.gen.ts";

let compiled: WebAssembly.Module | null = null;

/** The kernels over a memory. Their module is compiled once per thread. */
export function instantiateKernels(memory: WebAssembly.Memory): Kernels {
  compiled ??= new WebAssembly.Module(fromBase64(kernelsBase64));
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as unknown as Kernels;
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
