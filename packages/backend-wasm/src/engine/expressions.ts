import type { DType } from "@pt2/format";
import { castTo, type TypedExpr } from "@pt2/registry/scalar";

/** The element itself. */
function inputExpr(dtype: DType): TypedExpr {
  return { kind: "input", dtype, index: 0 };
}

/** The element in another dtype, converted as `Tensor.to` does. */
export function castExpr(from: DType, to: DType): TypedExpr {
  return castTo(to, inputExpr(from));
}
