import type { numpy as np } from "@jax-js/jax";
import type { DType } from "@pt2/format";
import { readTensor } from "@pt2/format";
import { openProgram, type Tensor } from "@pt2/runtime/node";
import type { Tensor as TfTensor } from "@tensorflow/tfjs-core";

/** The learning rate of Adam; everything else is as PyTorch has it. */
export const RATE = 1e-3;

/** A network, one batch for it, and how other frameworks compute its logits. The loss is the mean cross entropy. */
export interface Task {
  readonly name: string;
  /** The program that is trained, from its input to logits [rows, classes]. */
  readonly program: string;
  /** The Python file and class of the module that it was exported from. */
  readonly source: string;
  readonly module: string;
  /** The name of the program's input. */
  readonly input: string;
  readonly batch: Tensor<DType>;
  /** The right class of each row of logits. */
  readonly labels: readonly number[];
  readonly classes: number;
  jax(weights: Named<np.Array>, x: np.Array): np.Array;
  tfjs(weights: Named<TfTensor>, x: TfTensor): TfTensor;
}

/** Arrays by the names of PyTorch's parameters and buffers. */
export type Named<Array> = Readonly<Record<string, Array>>;

/** A parameter or buffer of the network as it begins. */
export interface Initial {
  readonly shape: readonly number[];
  readonly data: Float32Array<ArrayBuffer>;
  readonly isTrained: boolean;
}

/** Reads the weights that every subject starts from. */
export async function initialWeights({ program }: Task): Promise<ReadonlyMap<string, Initial>> {
  const { weights, close } = await openProgram(program);
  const found = new Map<string, Initial>();
  for (const [name, weight] of weights) {
    const { dtype, shape, bytes } = await readTensor(weight);
    if (dtype !== "float32") continue;
    found.set(name, { shape, data: new Float32Array(bytes.slice().buffer), isTrained: weight.kind === "parameter" });
  }
  await close?.();
  return found;
}

/** Something that trains the network: each step returns the loss before it. */
export interface Trained {
  step(): Promise<number>;
  release(): Promise<void>;
}
