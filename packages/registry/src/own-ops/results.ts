// What looks at the results of functions that users brought.

export { requireDepth } from "./handler-depth.ts";
export { answersOf, requireFunction } from "./handler-results.ts";
export { requireAsRecorded } from "./recorded.ts";
