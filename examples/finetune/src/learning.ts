import type { Backend } from "@pt2/backend";
import { type HostTensor, type ProgramSource, type Tensor, tensor } from "@pt2/runtime";
import { adamW, createTrainer, type Trainer } from "@pt2/train";
import type { Digits } from "./digits.ts";

/** Pictures in a batch. */
export const BATCH = 32;

/** Prepares the network for training: it forgets what it has learned, and begins with random weights. */
export async function startLearning(source: Required<ProgramSource>, backend: Backend): Promise<Trainer> {
  return await createTrainer(source, {
    backend,
    optimizer: adamW({ lr: 3e-3 }),
    loss: { loss: "aten::cross_entropy_loss" },
    shapes: { image: [BATCH, 1, 8, 8] },
    weights: randomWeights(source),
  });
}

/** Weights as PyTorch's layers begin with: uniform ones for matrices, ones and zeros for normalizations. */
function randomWeights({ weights }: ProgramSource): ReadonlyMap<string, HostTensor> {
  const made = [...weights].flatMap(([name, { dtype, shape }]): readonly (readonly [string, HostTensor])[] => {
    if (dtype !== "float32") return [];
    const count = shape.reduce((n, size) => n * size, 1);
    const bound = Math.sqrt(6 / shape.slice(1).reduce((n, size) => n * size, 1));
    const one = /weight|running_var/.test(name) ? 1 : 0;
    const value = (): number => (shape.length > 1 ? (2 * Math.random() - 1) * bound : one);
    return [[name, tensor("float32", shape, Float32Array.from({ length: count }, value))]];
  });
  return new Map(made);
}

/** What a network says about pictures. */
export interface Answers {
  /** The digit of each picture. */
  readonly digits: readonly number[];
  /** The share of pictures that are right. */
  readonly accuracy: number;
}

/** Lets the network, as it is now, read pictures. */
export async function answersOf(trainer: Trainer, { pixels, labels }: Digits): Promise<Answers> {
  await using model = await trainer.model();
  const scores = await model.forward<Tensor<"float32">>(tensor("float32", [labels.length, 1, 8, 8], pixels.slice()));
  const data = await scores.read();
  scores.dispose();
  const digits = Array.from(labels, (_, i) => {
    const row = [...data.subarray(10 * i, 10 * i + 10)];
    return row.indexOf(Math.max(...row));
  });
  return { digits, accuracy: digits.filter((digit, i) => digit === labels[i]).length / labels.length };
}
