/** Trains PyTorch programs where they run. */
export type { LoraOptions } from "./lora.ts";
export {
  type AdadeltaOptions,
  type AdagradOptions,
  type AdamOptions,
  adadelta,
  adagrad,
  adam,
  adamW,
  type Optimizer,
  type OptimizerOptions,
  type RmspropOptions,
  rmsprop,
  type SgdOptions,
  sgd,
  type UpdateCall,
  type Updated,
} from "./optimizers.ts";
export { type CosineOptions, cosine, type Schedule, type StepDecayOptions, stepDecay } from "./schedules.ts";
export { TRAIN_ERRORS, type TrainErrorCode } from "./train-errors.ts";
export { type Batch, createTrainer, type Trainer, type TrainingStep } from "./trainer.ts";
export type { GroupOptions, TrainerOptions } from "./trainer-options.ts";
export type { UpdateBuilder, Value } from "./update-builder.ts";
