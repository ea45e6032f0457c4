import { testConformance } from "./conformance.test-helper.ts";
import { SHARES } from "./conformance-parts.test-helper.ts";

await testConformance(SHARES.structured);
