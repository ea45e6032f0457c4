import { DTYPES, type DType } from "@pt2/format";
import type { KernelCall } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { kernelsBase64, type ReductionKernels } from "./reductions.gen.ts";

/** Returns the functions of the module of reductions, over the memory of a call's model. */
export const reductionKernels: (call: KernelCall) => ReductionKernels = onDemandModule(kernelsBase64);

/** A dtype of elements that the module reads. */
export type ElementDType = "float32" | "float64" | "int32" | "int64" | "uint8" | "bool";

/** As the module numbers them. */
export const ELEMENTS: Readonly<Record<ElementDType, number>> = {
  float32: 0,
  float64: 1,
  int32: 2,
  int64: 3,
  uint8: 4,
  bool: 4,
};

/** Returns a dtype that the module finds extremes of, and that has every number of another one. */
export function comparedAs(dtype: DType): "float64" | "int32" | "int64" {
  if (DTYPES[dtype].kind === "float") return "float64";
  return dtype === "int64" ? dtype : "int32";
}
