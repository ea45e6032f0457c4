import { fromBytes, readSafetensors } from "@pt2/format";
import { type HostTensor, tensor } from "@pt2/runtime";

/** Pictures of handwritten digits, 8 × 8 gray values from 0 to 1 each. */
export interface Digits {
  readonly pixels: Float32Array;
  readonly labels: Uint8Array;
}

/** How many of the pictures are kept for testing. */
const TESTED = 72;
const SIZE = 64;

/** Reads the pictures of `held-out.safetensors`; the network learns from four fifths of them, and is tested on the rest. */
export async function readDigits(bytes: Uint8Array): Promise<{ readonly learned: Digits; readonly tested: Digits }> {
  const { tensors } = await readSafetensors(fromBytes(bytes));
  const pixels = Float32Array.from(tensors.get("images")!.bytes, (gray) => gray / 255);
  const labels = tensors.get("labels")!.bytes;
  const count = labels.length - TESTED;
  return {
    learned: { pixels: pixels.subarray(0, count * SIZE), labels: labels.subarray(0, count) },
    tested: { pixels: pixels.subarray(count * SIZE), labels: labels.subarray(count) },
  };
}

/** Returns random batches of `size` pictures with their labels, without end. */
export function* batchesOf({ pixels, labels }: Digits, size: number): Generator<readonly HostTensor[], never, void> {
  for (;;) {
    const rows = Array.from({ length: size }, () => Math.floor(Math.random() * labels.length));
    const images = Float32Array.from(rows.flatMap((row) => [...pixels.subarray(row * SIZE, (row + 1) * SIZE)]));
    const targets = BigInt64Array.from(rows, (row) => BigInt(labels[row]!));
    yield [tensor("float32", [size, 1, 8, 8], images), tensor("int64", [size], targets)];
  }
}
