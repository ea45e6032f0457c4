// Exports the checks of results of users' functions.

export { requireDepth } from "./handler-depth.ts";
export { answersOf, requireFunction } from "./handler-results.ts";
export { requireAsRecorded } from "./recorded-types.ts";
