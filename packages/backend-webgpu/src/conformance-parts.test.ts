import { SUITE_PARTS } from "@pt2/conformance";
import { suiteProblems } from "@pt2/testing/suite-shares";
import { expect, test } from "vitest";
import { SHARES } from "./conformance-parts.test-helper.ts";

test("the conformance test files of webgpu together run every part of the suite", () => {
  expect(suiteProblems(import.meta.url, { parts: SUITE_PARTS, shares: SHARES })).toEqual([]);
});
