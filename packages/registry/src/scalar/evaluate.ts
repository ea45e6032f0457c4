import { type Evaluate, evaluator } from "./evaluator.ts";
import { FLOAT_UNARY } from "./special-functions.ts";

/**
 * Value of an expression for one element: the meaning of the language, against which generated kernels are tested.
 * Integers wrap, float32 rounds after every function, float16 and bfloat16 at casts.
 */
export const evaluate: Evaluate = evaluator(FLOAT_UNARY);
