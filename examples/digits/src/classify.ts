import { type Model, tensor } from "@pt2/runtime";
import { SIDE } from "./picture.ts";

/** What the network says of one picture. */
export interface Answer {
  readonly digit: number;
  /** How sure it is, from 0 to 1. */
  readonly probability: number;
}

const CLASSES = 10;

/** The network's ten scores per picture, all pictures in one call. `pixels` holds them one after the other. */
export async function logitsOf(model: Model, pixels: Float32Array): Promise<Float32Array> {
  const image = tensor("float32", [pixels.length / (SIDE * SIDE), 1, SIDE, SIDE], pixels);
  const logits = await model.forward({ image });
  return (await logits.read()) as Float32Array;
}

/** The likeliest digit of every picture. */
export function answersOf(logits: Float32Array): readonly Answer[] {
  return Array.from({ length: logits.length / CLASSES }, (_, i) => {
    const scores = logits.subarray(i * CLASSES, (i + 1) * CLASSES);
    const best = Math.max(...scores);
    const sum = scores.reduce((total, score) => total + Math.exp(score - best), 0);
    return { digit: scores.indexOf(best), probability: 1 / sum };
  });
}
