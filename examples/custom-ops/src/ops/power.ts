import { defineOp, type OpRecord, type TypedOp } from "@pt2/registry";
import { scalar } from "@pt2/registry/scalar";

const SCHEMA = "demo::power(Tensor input, Tensor exponent) -> Tensor";

/** `input ** exponent`, both of any shapes that broadcast: so do the gradients, which are summed to these shapes. */
export const power: OpRecord & TypedOp<typeof SCHEMA> = defineOp(SCHEMA, { scalar: scalar.pow });
