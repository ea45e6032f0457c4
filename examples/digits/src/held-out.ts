import { readSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";

/** Images that the network was not trained on. */
export interface HeldOut {
  /** Gray from 0 to 1, 8 × 8 each, one after the other. */
  readonly pixels: Float32Array;
  readonly labels: Uint8Array;
  /** What PyTorch answers: ten scores per image. */
  readonly logits: Float32Array;
}

/** Reads `held-out.safetensors`. */
export async function readHeldOut(path: string): Promise<HeldOut> {
  const source = await fromFile(path);
  const { tensors } = await readSafetensors(source);
  await source.close?.();
  const bytesOf = (name: string): Uint8Array => {
    const found = tensors.get(name);
    if (found === undefined) throw new Error(`${path} has no tensor "${name}"`);
    return found.bytes;
  };
  return {
    pixels: Float32Array.from(bytesOf("images"), (gray) => gray / 255),
    labels: bytesOf("labels"),
    logits: new Float32Array(bytesOf("logits").slice().buffer),
  };
}
