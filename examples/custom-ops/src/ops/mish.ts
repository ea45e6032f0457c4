import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";
import { scalar } from "@pt2/registry/scalar";

const { exp, gt, log1p, mul, select, tanh } = scalar;
const SCHEMA = "demo::mish(Tensor input) -> Tensor";

/** `input · tanh(softplus(input))` (Misra, 2019). As in PyTorch, softplus of more than 20 is its argument. */
export const mish: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, {
  scalar: (x) => mul(x, tanh(select(gt(x, 20), x, log1p(exp(x))))),
});
