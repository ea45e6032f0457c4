import { testConformance } from "./conformance.test-helper.ts";

await testConformance(["index", "scatter", "sort", "lifecycle", "own-ops"]);
