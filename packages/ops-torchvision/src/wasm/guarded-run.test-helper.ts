import type { ModuleKernel } from "@pt2/backend-wasm";
import { DTYPES } from "@pt2/format";
import type { ArgValue, OpRecord, TensorMeta } from "@pt2/registry";

/** The bytes between tensors, which no kernel may touch. */
const GUARD = 512;

/** A tensor of a call with its memory. */
export interface Given extends TensorMeta {
  readonly bytes: Uint8Array;
}

/**
 * Runs the functions of a kernel's module as the backend does, in a memory that is filled with `poison` but for the arguments:
 * results and temporaries have guards on both sides, and the memory ends behind the last one. Returns the bytes of the results.
 * Throws if a function writes to an argument or a guard, or leaves the memory.
 */
export function guardedRun(
  kernel: ModuleKernel,
  record: OpRecord,
  args: Readonly<Record<string, ArgValue | Given>>,
  poison: number,
): readonly Uint8Array[] {
  const places = new Map<TensorMeta, { readonly at: number; readonly bytes: number }>();
  let end = GUARD;
  const place = (meta: TensorMeta): void => {
    const bytes = meta.shape.reduce((product, size) => product * size, DTYPES[meta.dtype].itemsize);
    places.set(meta, { at: end, bytes });
    end += Math.ceil(bytes / 64) * 64 + GUARD;
  };
  const given = Object.values(args).filter(
    (arg): arg is Given => typeof arg === "object" && arg !== null && "bytes" in arg,
  );
  given.forEach(place);
  const results = [record.infer!(args as never)].flat() as [TensorMeta, ...TensorMeta[]];
  results.forEach(place);
  const temporaries: TensorMeta[] = [];
  const calls = kernel.calls(args as never, results, (dtype, shape) => {
    const meta = { dtype, shape };
    temporaries.push(meta);
    place(meta);
    return meta;
  });

  const memory = new WebAssembly.Memory({ initial: Math.ceil(end / 65536) });
  const all = new Uint8Array(memory.buffer).fill(poison);
  for (const tensor of given) all.set(tensor.bytes, places.get(tensor)!.at);
  const module = new WebAssembly.Module(kernel.module as Uint8Array<ArrayBuffer>);
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  for (const [name, ...rest] of calls) {
    const run = exports[name] as (...args: unknown[]) => void;
    run(...rest.map((arg) => (typeof arg === "object" ? places.get(arg)!.at : arg)));
  }

  for (const tensor of given) {
    const { at, bytes } = places.get(tensor)!;
    if (!tensor.bytes.every((byte, i) => byte === all[at + i]))
      throw new Error(`an argument of ${bytes} bytes was written`);
  }
  const found = results.map((result) => {
    const { at, bytes } = places.get(result)!;
    return all.slice(at, at + bytes);
  });
  // What is left belongs to no tensor.
  for (const { at, bytes } of places.values()) all.fill(poison, at, at + bytes);
  for (let at = 0; at < all.length; at++) {
    if (all[at] !== poison) throw new Error(`byte ${at} beside the tensors was written`);
  }
  return found;
}
