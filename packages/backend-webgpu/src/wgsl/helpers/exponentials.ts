import { ERROR_FUNCTION } from "./error-function.ts";
import { EXPONENTIAL } from "./exponential.ts";
import type { Helpers } from "./helper-declarations.ts";
import { LOGARITHM } from "./logarithm.ts";

/** The helpers that activations are made of. */
export const EXPONENTIALS: Helpers = { ...EXPONENTIAL, ...LOGARITHM, ...ERROR_FUNCTION };
