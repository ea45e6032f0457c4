import { type OptionTypes, optionProblem, type Tensor, wrongOptions } from "@pt2/backend";
import type { Model } from "@pt2/runtime";
import type { Size } from "./pixels.ts";
import { visionError } from "./vision-errors.ts";

/** Throws for an option that a function does not have, or an impossible value. */
export function requireOptions(of: string, options: unknown, types: OptionTypes): void {
  const [wrong] = wrongOptions(options, types);
  if (wrong !== undefined) throw visionError("vision.options", optionProblem(of, options, types, wrong));
}

/** Throws for what is no loaded model, and for options that are not those of a function that takes one. */
export function requireModel(of: string, model: Model, options: object, types: OptionTypes): void {
  if (typeof model?.run !== "function") {
    throw visionError("vision.options", {
      what: `${of} got no loaded model`,
      advice: "await what `load` returns, and pass it first",
    });
  }
  // What is wrong with a preset is told when it is read.
  const { preset: _, ...others } = Object(options) as Readonly<Record<string, unknown>>;
  requireOptions(of, others, { backend: "object", preset: "object", labels: "object", ...types });
}

/** Throws for what is no tensor. Its dtype and number of dimensions are checked where it is an input of a program. */
export function requireImage(image: Tensor): void {
  if (Array.isArray(image?.shape)) return;
  throw visionError("vision.image", {
    what: "A picture is no tensor",
    advice: "give a float32 tensor [1, channels, height, width], which `toTensor` makes of raw pixels",
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
