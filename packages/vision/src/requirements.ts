import type { Tensor } from "@pt2/backend";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { Model } from "@pt2/runtime";
import type { Size } from "./pixels.ts";
import { visionError } from "./vision-errors.ts";

/** Throws for what is no loaded model, and for options that are not those of a function that takes one. */
export function requireModel(of: string, model: Model, options: object, types: OptionTypes): void {
  if (typeof model?.run !== "function") {
    throw visionError("vision.options", {
      what: `${of} got no loaded model`,
      advice: "await what `load` returns, and pass it first",
    });
  }
  // What is wrong with a preset is told when it is read.
  requireOptions(of, options, { backend: "object", preset: "unknown", labels: "array", ...types }, "vision.options");
}

/** Throws for what is not a tensor. Its dtype and number of dimensions are checked where it is an input of a program. */
export function requireImage(image: Tensor): void {
  if (Array.isArray(image?.shape)) return;
  throw visionError("vision.image", {
    what: "A picture has to be a tensor",
    advice: "give a float32 tensor [1, channels, height, width], which `toTensor` makes of raw pixels",
  });
}

/** Throws for what is no list of things that a detector found. */
export function requireFound(of: string, found: unknown): void {
  if (Array.isArray(found) && found.every((each) => Array.isArray(each?.box))) return;
  throw visionError("vision.options", {
    what: `${of} got no list of things with boxes`,
    advice: "give what `detect` of a detector returned",
  });
}

/** Throws for a size that is not of whole pixels. */
export function requireSize(size: Size): void {
  if ([size?.width, size?.height].every((side) => Number.isSafeInteger(side) && side > 0)) return;
  throw visionError("vision.options", {
    what: `A size is ${JSON.stringify(size)}`,
    advice: "give { width, height } in pixels",
  });
}

/** Throws for what is not a number for each channel. */
export function requireColumn(name: string, numbers: readonly number[]): void {
  if (Array.isArray(numbers) && numbers.every(Number.isFinite)) return;
  throw visionError("vision.options", {
    what: `${name} is ${JSON.stringify(numbers)}`,
    advice: "give a list of numbers, one for each channel",
  });
}
