import { testConformance } from "./conformance.test-helper.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";

// What arguments are refused is in records that every backend reads, so here a few of the cases do.
const parts = process.env.PT2_REFUSALS === "all" ? 1 : 12;

await testConformance(SHARES.refusals, "all", [0, parts]);
