export { main } from "./cli.ts";
export { CLI_ERRORS, type CliErrorCode } from "./cli-errors.ts";
export type { ExitCode } from "./command.ts";
export type { Terminal } from "./terminal/terminal.ts";
export { type Comparable, type Comparison, compareTensors } from "./verify/compare.ts";
export { defaultTolerance, type Tolerance, type ToleranceOf } from "./verify/tolerance.ts";
export { type OutputCheck, type VerifyReport, type VerifyRequest, verifyModel } from "./verify/verify-model.ts";
