import { type Evaluate, evaluator } from "./evaluator.ts";
import { FLOAT_UNARY } from "./special-functions.ts";

/**
 * Evaluates an expression for one element. It defines the scalar language: generated kernels are tested against it.
 * Integers wrap, float32 rounds after every function, float16 and bfloat16 at casts.
 */
export const evaluate: Evaluate = evaluator(FLOAT_UNARY);
