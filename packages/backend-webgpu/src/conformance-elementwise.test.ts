import { testConformance } from "./conformance.test-helper.ts";

await testConformance(["binary", "cast", "compare", "factories", "inplace", "pointwise", "views"]);
