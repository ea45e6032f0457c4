import type { ConvAlgorithm, ConvShape } from "./types.ts";
import { fitsWinograd } from "./winograd.ts";

export function chooseDense(shape: ConvShape): ConvAlgorithm {
  return fitsWinograd(shape) ? "winograd4" : "im2col";
}
