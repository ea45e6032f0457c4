import { testConformance } from "./conformance.test-helper.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";

// Refusals of arguments are in records, which every backend reads, so a few of the cases suffice here.
const parts = process.env.PT2_REFUSALS === "all" ? 1 : 12;

await testConformance(SHARES.refusals, "all", [0, parts]);
