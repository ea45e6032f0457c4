import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";
import { scalar } from "@pt2/registry/scalar";

const { mul, sigmoid } = scalar;
const SCHEMA = "demo::swish(Tensor input, float beta=1.) -> Tensor";

/** `input · σ(beta · input)`. One expression is enough: loops, shaders and the gradient follow from it. */
export const swish: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  scalar: (x, beta) => mul(x, sigmoid(mul(x, beta))),
});
