import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { testbed } from "./kernels.test-helper.ts";

/** Kernels that other kernels run, and that are exported to be tested and measured alone. */
const ALONE: readonly string[] = ["transpose"];

test("every kernel of the module is called by the backend", () => {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.gen)\.ts$/.test(file) && !file.includes("test"),
  );
  const source = files.map((file) => readFileSync(`${cwd}${file}`, "utf8")).join("\n");
  const names = Object.keys(testbed(1).kernels).filter((name) => !ALONE.includes(name));
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
});
