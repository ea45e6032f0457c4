export { BACKEND_ERRORS, type BackendErrorCode, backendError } from "./backend-errors.ts";
export type { Comparable, Comparison, Tolerance, WorstElement } from "./compare/compare.ts";
export { compareTensors, differenceText, mismatch, typeText } from "./compare/compare.ts";
export { type Element, elementsOf, elementText } from "./compare/elements.ts";
export type * from "./contract.ts";
export { BACKEND_API_VERSION } from "./contract.ts";
export type { HostTensor, Tensor, TypedArray } from "./tensor.ts";
export { hostTensor, numel, requireType, viewAs } from "./tensor.ts";
export { unsupportedOps } from "./unsupported-ops.ts";
