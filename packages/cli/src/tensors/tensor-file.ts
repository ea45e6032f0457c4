import { readNpz, readSafetensors, type Tensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";

/** Reads a `.safetensors`, `.npz` or `.npy` file. */
export async function readTensorFile(path: string): Promise<Tensors> {
  const source = await fromFile(path);
  try {
    if (/\.np[zy]$/i.test(path)) return await readNpz(source);
    return (await readSafetensors(source)).tensors;
  } finally {
    await source.close?.();
  }
}

/** Tensors of several calls in one file: the first under its own names, the next ones under `call1.`, `call2.`, … */
export function splitCalls(tensors: Tensors): readonly Tensors[] {
  const calls: Map<string, Tensors extends ReadonlyMap<string, infer T> ? T : never>[] = [new Map()];
  for (const [key, tensor] of tensors) {
    const [, call = "0", name = key] = /^call(\d+)\.(.+)$/.exec(key) ?? [];
    const at = Number(call);
    while (calls.length <= at) calls.push(new Map());
    calls[at]!.set(name, tensor);
  }
  return calls;
}
