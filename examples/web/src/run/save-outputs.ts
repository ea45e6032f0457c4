import { type TensorData, writeSafetensors } from "@pt2/format";
import type { Value } from "@pt2/runtime";
import { download } from "../page/download.ts";

/** Saves the tensors among outputs by position, as `pt2 run --output` does and `pt2 verify --expected` reads them. */
export async function saveOutputs(outputs: readonly Value[]): Promise<void> {
  const tensors = new Map<string, TensorData>();
  for (const [at, output] of outputs.entries()) {
    if (typeof output !== "object" || output === null) continue;
    const { dtype, shape } = output;
    tensors.set(String(at), { dtype, shape, bytes: await output.readBytes() });
  }
  const parts: Uint8Array<ArrayBuffer>[] = [];
  await writeSafetensors(tensors, async (bytes) => {
    parts.push(bytes.slice());
  });
  download(new Blob(parts), "outputs.safetensors");
}
