import { spawnSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

it("the README's lines print what the README says", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, code, output] = /```ts\n(.*?)```.*?```text\n(.*?)```/s.exec(readme) ?? [];
  expect(code).toBeDefined();

  // Inside the package, where its own name resolves to it.
  const script = fileURLToPath(new URL(`../readme-${process.pid}.tmp.ts`, import.meta.url));
  try {
    writeFileSync(script, code!);
    const tsx = import.meta.resolve("tsx");
    const run = spawnSync(process.execPath, ["-C", "dev", "--import", tsx, script], { encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe(output);
  } finally {
    rmSync(script, { force: true });
  }
});
