import { testInPage } from "./conformance-in-page.ts";

await testInPage("webgpu in Chromium", ["binary", "cast", "compare", "factories", "inplace", "pointwise", "views"]);
