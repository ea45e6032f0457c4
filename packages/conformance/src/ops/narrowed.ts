import type { Capabilities } from "@pt2/backend";
import { DTYPES, type DType } from "@pt2/format";
import { elementsOf, numberOf } from "./case-data.ts";
import type { CaseResult, CaseTensor, OpCase } from "./case-types.ts";

/** The dtypes that a backend stores as narrower ones. */
export type Narrowed = NonNullable<Capabilities["narrowed"]>;

/** Returns which part of a case has values that a backend cannot store, if any. */
export function beyondNarrowed(opCase: OpCase, narrowed: Narrowed): "arguments" | "results" | null {
  if (opCase.tensors.some((tensor) => !fits(tensor, narrowed))) return "arguments";
  const results = [...opCase.expected, ...Object.values(opCase.mutated ?? {})];
  return results.some((result) => !resultFits(result, narrowed)) ? "results" : null;
}

function resultFits(result: CaseResult, narrowed: Narrowed): boolean {
  if (typeof result === "number") return Number.isInteger(result) ? holds(narrowed.int64, result) : true;
  if (typeof result !== "object" || result === null) return true;
  if (Array.isArray(result)) return (result as readonly CaseTensor[]).every((tensor) => fits(tensor, narrowed));
  if ("shape" in result) return fits(result, narrowed);
  return "int" in result ? holds(narrowed.int64, numberOf(result)) : true;
}

function fits(tensor: CaseTensor, narrowed: Narrowed): boolean {
  if (narrowed[tensor.dtype] === undefined || tensor.data === undefined) return true;
  return allFit(tensor.dtype, elementsOf(tensor), narrowed);
}

/** Returns whether a backend can store all elements of a tensor, up to rounding. */
export function allFit(dtype: DType, elements: Iterable<number | bigint>, narrowed: Narrowed): boolean {
  return [...elements].every((element) => holds(narrowed[dtype], element));
}

/** Returns whether a dtype can store a number, up to rounding. */
function holds(dtype: DType | undefined, value: number | bigint): boolean {
  if (dtype === undefined) return true;
  const { itemsize, kind } = DTYPES[dtype];
  const bits = 8 * itemsize;
  if (kind === "int") return value >= -(2 ** (bits - 1)) && value < 2 ** (bits - 1);
  if (kind === "uint") return value >= 0 && value < 2 ** bits;
  return dtype !== "float32" || !Number.isFinite(value) || Number.isFinite(Math.fround(Number(value)));
}
