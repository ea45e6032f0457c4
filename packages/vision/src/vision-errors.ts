import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const VISION_ERRORS = {
  "vision.image": "a picture cannot be read, or is not a picture",
  "vision.camera": "something cannot be watched, or cannot be watched here",
  "vision.options": "an option does not exist or has an impossible value",
  "vision.preset": "the JSON beside a program does not say how pictures become its input",
  "vision.outputs": "a program does not return what a detector or a classifier returns",
  "vision.disposed": "a detector or a classifier was used after it had been disposed",
  "vision.node-entry": "a page imported an entry point that only works in Node",
} as const;

/** A code of {@link VISION_ERRORS}. */
export type VisionErrorCode = keyof typeof VISION_ERRORS;

/** What a value is, for an error that refuses it: `Promise`, `Float32Array`, `Undefined`. */
export function kindOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice("[object ".length, -1);
}

/** Creates an error with a code of the table. */
export function visionError(code: VisionErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
