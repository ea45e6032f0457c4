import { type TensorData, writeSafetensors } from "@pt2/format";
import type { Value } from "@pt2/runtime";
import { usageError } from "../cli-errors.ts";
import { replaceFile } from "../terminal/replace-file.ts";

/** Writes the tensors of every call by position, those of later calls under `call1.`, `call2.`, … */
export async function writeOutputs(path: string, calls: readonly (readonly Value[])[]): Promise<void> {
  if (!path.endsWith(".safetensors")) throw usageError(`--output writes .safetensors files, not "${path}"`);
  const tensors = new Map<string, TensorData>();
  for (const [call, outputs] of calls.entries()) {
    for (const [at, output] of outputs.entries()) {
      if (typeof output !== "object" || output === null) continue;
      const bytes = await output.readBytes();
      tensors.set(call === 0 ? String(at) : `call${call}.${at}`, { dtype: output.dtype, shape: output.shape, bytes });
    }
  }
  await replaceFile(path, (write) => writeSafetensors(tensors, write));
}
