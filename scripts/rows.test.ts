import { expect, it } from "vitest";
import { mayImport } from "./rows.ts";

it("shipped code imports from earlier rows only", () => {
  expect(mayImport("@pt2/graph", { test: false })).toEqual(new Set(["@pt2/format"]));
  expect(mayImport("@pt2/runtime", { test: false })).not.toContain("@pt2/backend-wasm");
  expect(mayImport("@pt2/backend-wasm", { test: false })).not.toContain("@pt2/conformance");
});

it("only tests import the package that is for tests", () => {
  expect(mayImport("@pt2/graph", { test: true })).toContain("@pt2/testing");
  expect(mayImport("@pt2/graph", { test: false })).not.toContain("@pt2/testing");
});

it("tests may use every earlier row, and the last row everything", () => {
  expect(mayImport("@pt2/backend-wasm", { test: true })).toContain("@pt2/conformance");
  expect(mayImport("@pt2/runtime", { test: true })).toContain("@pt2/backend-wasm");
  expect(mayImport("@pt2/tests", { test: false })).toContain("@pt2/cli");
});

it("a package outside the layers may import nothing", () => {
  expect(mayImport("@pt2/utils", { test: false })).toBeUndefined();
});
