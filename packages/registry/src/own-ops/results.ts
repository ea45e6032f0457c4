// What looks at the results of functions that users brought.

export { answersOf, requireFunction } from "./handler-results.ts";
export { requireAsRecorded } from "./recorded.ts";
