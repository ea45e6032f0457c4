import type { LossOptions } from "@pt2/autograd";
import type { HostTensor } from "@pt2/backend";
import { requireOptions } from "@pt2/format/options";
import type { LoadOptions } from "@pt2/runtime";
import type { LoraOptions } from "./lora.ts";
import type { Optimizer } from "./optimizers.ts";
import type { Schedule } from "./schedules.ts";

/** The parameters that have rates of their own. */
export interface GroupOptions {
  /** Whether a parameter of this name belongs to the group. */
  readonly match: (name: string) => boolean;
  /** The learning rate. @default the optimizer's */
  readonly lr?: number;
  /** The weight decay. @default the optimizer's */
  readonly weightDecay?: number;
}

/** Options of {@link createTrainer}. */
export interface TrainerOptions extends Omit<LoadOptions, "model" | "verifyChecksums"> {
  /** What makes new parameters of gradients: `adamW({ lr: 1e-3 })`. */
  readonly optimizer: Optimizer;
  /**
   * The loss that is added to a program which returns predictions. A program that returns its loss, and one of forward
   * and backward, needs none. @default the program's only floating point number
   */
  readonly loss?: LossOptions;
  /** The position of the loss among the results, where several are floating point numbers. */
  readonly of?: number;
  /** The shapes of inputs whose sizes are not numbers in the program, by the name of the input. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /**
   * Which parameters are trained, by name; the others are frozen. Those that the loss does not depend on stay as they are.
   * @default those that require gradients, or all where none does; with `lora` the adapters
   */
  readonly train?: (name: string) => boolean;
  /** Adds low-rank adapters to linear layers, and trains these. What is saved has them merged into the weights. */
  readonly lora?: LoraOptions;
  /** Rates of their own for some parameters: the first group that matches a name counts. */
  readonly groups?: readonly GroupOptions[];
  /** The factor of the learning rate at each step. @default 1 */
  readonly schedule?: Schedule;
  /** Scales gradients so that their norm together is at most this: `torch.nn.utils.clip_grad_norm_`. */
  readonly clipNorm?: number;
  /**
   * Limits each element of the gradients to from minus this to this: `torch.nn.utils.clip_grad_value_`. It comes after
   * `clipNorm`.
   */
  readonly clipValue?: number;
  /** The number of batches whose gradients are averaged for one update. @default 1 */
  readonly accumulate?: number;
  /** Values of parameters and buffers to begin with, by name, in place of those of the program. */
  readonly weights?: ReadonlyMap<string, HostTensor>;
  /** What {@link Trainer.checkpoint} returned: training goes on with the same numbers. */
  readonly checkpoint?: Uint8Array;
}

/** Those that `load` checks are unknown here. */
const OPTIONS: Readonly<Record<keyof TrainerOptions, string>> = {
  optimizer: "object",
  loss: "object",
  of: "number from 0",
  shapes: "object",
  train: "synchronous function",
  lora: "object",
  groups: "array",
  schedule: "synchronous function",
  clipNorm: "number from 0 | Infinity",
  clipValue: "number from 0 | Infinity",
  accumulate: "number",
  weights: "Map",
  checkpoint: "Uint8Array",
  backend: "unknown",
  ops: "array",
  handlers: "unknown",
  library: "unknown",
  precision: "unknown",
  onProgress: "unknown",
  signal: "unknown",
  onWarning: "unknown",
};

const LOSS_OPTIONS: Readonly<Record<keyof LossOptions, string>> = {
  loss: "string",
  args: "object",
  of: "number from 0",
  target: "object",
};

/** Checks names and kinds of all options. */
export function checkTrainerOptions(options: TrainerOptions): void {
  requireOptions("createTrainer()", options, OPTIONS, "train.options", "optimizer");
  requireOptions("`loss`", options.loss ?? {}, LOSS_OPTIONS, "train.options");
}
