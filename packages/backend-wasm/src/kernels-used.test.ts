import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { instantiate } from "./instantiate.ts";
import { kernelsBase64 as indexing } from "./kernels/index/indexing.gen.ts";
import { kernelsBase64 as reductions } from "./kernels/reduce/reductions.gen.ts";
import { kernelsBase64 as resampling } from "./kernels/resize/resampling.gen.ts";
import { testbed } from "./kernels.test-helper.ts";

/** Kernels that other kernels run, and that are exported to be tested and measured alone. */
const ALONE: readonly string[] = ["transpose"];

test("every kernel of the modules is called by the backend", () => {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  const files = readdirSync(cwd, { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.gen)\.ts$/.test(file) && !file.includes("test"),
  );
  const source = files.map((file) => readFileSync(`${cwd}${file}`, "utf8")).join("\n");
  const { kernels, memory } = testbed(1);
  const others = [reductions, indexing, resampling].map((module) =>
    instantiate<Record<string, unknown>>(module)(memory),
  );
  const all: Record<string, unknown> = Object.assign({ ...kernels }, ...others);
  const names = Object.keys(all).filter((name) => !ALONE.includes(name));
  expect(names.filter((name) => !new RegExp(`\\b${name}\\b`).test(source))).toEqual([]);
  expect(names.length).toBeGreaterThan(20);
});
