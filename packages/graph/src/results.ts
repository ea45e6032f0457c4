/** The roles of a program's results. */
export { isGradient, isModuleResult, isReturned } from "./query/output-kinds.ts";
