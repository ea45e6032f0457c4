import { testConformance } from "./conformance.test-helper.ts";

await testConformance(["indices"]);
