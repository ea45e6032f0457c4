import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const GENERATE_ERRORS = {
  "generate.folder": "a folder is not what transformers' exporters write, or a file of it is missing",
  "generate.program": "a program is no language model that tokens can be generated with",
  "generate.options": "an option does not exist or has an impossible value",
  "generate.prompt": "a prompt is empty, or is not tokens of the model",
  "generate.length": "a text is longer than what the model keeps of it",
  "generate.busy": "a model that keeps one text was asked to continue two at once",
  "generate.disposed": "a model was used after it had been disposed",
} as const;

/** A code of {@link GENERATE_ERRORS}. */
export type GenerateErrorCode = keyof typeof GENERATE_ERRORS;

/** Creates an error with a code of the table. */
export function generateError(code: GenerateErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
