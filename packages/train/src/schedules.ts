import { requireOptions } from "@pt2/format/options";
import { trainError } from "./train-errors.ts";

/** Returns the factor of the learning rate at a step, which counts from 1. */
export type Schedule = (step: number) => number;

/** Options of {@link cosine}. */
export interface CosineOptions {
  /** The number of steps until the rate is at its least. */
  readonly steps: number;
  /** The number of steps over which the rate first grows from zero. @default 0 */
  readonly warmup?: number;
  /** The factor at the end. @default 0 */
  readonly least?: number;
}

/**
 * Lets the rate fall along half a cosine: `least + (1 - least) (1 + cos(π t)) / 2`. Without warm-up it is
 * `torch.optim.lr_scheduler.CosineAnnealingLR`.
 */
export function cosine(options: CosineOptions): Schedule {
  const number = "number from 0";
  requireOptions("cosine()", options, { steps: number, warmup: number, least: number }, "train.options", "steps");
  const { steps, warmup = 0, least = 0 } = options;
  return (step) => {
    if (step <= warmup) return step / warmup;
    const t = Math.min((step - 1 - warmup) / Math.max(steps - warmup, 1), 1);
    return least + ((1 - least) * (1 + Math.cos(Math.PI * t))) / 2;
  };
}

/** Options of {@link stepDecay}. */
export interface StepDecayOptions {
  /** The number of steps with the same rate. */
  readonly size: number;
  /** The factor between them. @default 0.1 */
  readonly gamma?: number;
}

/** Multiplies the rate by `gamma` after every `size` steps: `torch.optim.lr_scheduler.StepLR`. */
export function stepDecay(options: StepDecayOptions): Schedule {
  requireOptions("stepDecay()", options, { size: "number from 0", gamma: "number from 0" }, "train.options", "size");
  const { size, gamma = 0.1 } = options;
  if (size === 0) throw trainError("train.options", { what: "`size` of stepDecay must be above 0" });
  return (step) => gamma ** Math.floor((step - 1) / size);
}
