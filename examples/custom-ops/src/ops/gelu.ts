import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";
import { scalar } from "@pt2/registry/scalar";

const { add, erf, mul } = scalar;
const SCHEMA = "demo::gelu(Tensor input) -> Tensor";

/** `input · Φ(input)`, with the distribution function of the normal distribution (Hendrycks and Gimpel, 2016). */
export const gelu: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  scalar: (x) => mul(mul(x, 0.5), add(1, erf(mul(x, Math.SQRT1_2)))),
});
