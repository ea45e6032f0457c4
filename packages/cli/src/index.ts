export { type Comparable, type Comparison, compareTensors, type Tolerance } from "@pt2/backend";
export { main } from "./cli.ts";
export { CLI_ERRORS, type CliErrorCode } from "./cli-errors.ts";
export type { ExitCode } from "./command.ts";
export type { Terminal } from "./terminal/terminal.ts";
export { type CallFiles, type ExpectedCall, readExpectedCalls } from "./verify/expected-calls.ts";
export { defaultTolerance, type ToleranceOf } from "./verify/tolerance.ts";
export { type OutputCheck, type VerifyReport, type VerifyRequest, verifyModel } from "./verify/verify-model.ts";
