import { fileURLToPath } from "node:url";
import { readTensor } from "@pt2/format";
import { openProgram, randn, type Tensor, tensor } from "@pt2/runtime/node";

/** The program that is trained. */
export const DIGITS: string = fileURLToPath(new URL("../../../examples/digits/digits.pt2", import.meta.url));

/** The learning rate of Adam; everything else is as PyTorch has it. */
export const RATE = 1e-3;

/** One batch: pictures of noise with labels in turn, which is as much work as any. */
export interface Batch {
  readonly pictures: Tensor<"float32">;
  readonly labels: Tensor<"int64">;
  readonly numbers: Float32Array;
  readonly classes: readonly number[];
}

/** Makes the batch that all subjects are given. */
export function batchOf(size: number): Batch {
  const pictures = randn([size, 1, 8, 8], { seed: 1 });
  const classes = Array.from({ length: size }, (_, i) => i % 10);
  return { pictures, labels: tensor("int64", [size], classes), numbers: pictures.data, classes };
}

/** A parameter or buffer of the network as it begins. */
export interface Initial {
  readonly shape: readonly number[];
  readonly data: Float32Array;
}

/** Reads the weights that every subject starts from. */
export async function initialWeights(): Promise<ReadonlyMap<string, Initial>> {
  const { weights, close } = await openProgram(DIGITS);
  const found = new Map<string, Initial>();
  for (const [name, weight] of weights) {
    const { dtype, shape, bytes } = await readTensor(weight);
    if (dtype === "float32") found.set(name, { shape, data: new Float32Array(bytes.slice().buffer) });
  }
  await close();
  return found;
}

/** Something that trains the network: each step returns the loss before it. */
export interface Trained {
  step(): Promise<number>;
  release(): Promise<void>;
}
