/** What the results of a program are to its caller. */
export { isGradient, isModuleResult, isReturned } from "./query/results.ts";
