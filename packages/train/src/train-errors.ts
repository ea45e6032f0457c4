import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const TRAIN_ERRORS = {
  "train.options": "an option does not exist or has an impossible value",
  "train.parameters": "no parameter is trained, or one that is named does not exist",
  "train.batch": "a batch is not an array of the program's inputs, or batches cannot be iterated over",
  "train.checkpoint": "a checkpoint does not belong to this program and optimizer",
  "train.backend": "the backend cannot give back what was trained",
  "train.disposed": "the trainer was used after it had been disposed",
} as const;

/** A code of {@link TRAIN_ERRORS}. */
export type TrainErrorCode = keyof typeof TRAIN_ERRORS;

/** Creates an error with a code of the table. */
export function trainError(code: TrainErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
