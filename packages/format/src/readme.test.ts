import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { fixturePath } from "./fixtures.test-helper.ts";

it("the README's lines print what the README says", () => {
  const readme = readFileSync(new URL("../README.md", import.meta.url), "utf8");
  const [, code, output] = /```ts\n(.*?)```.*?```text\n(.*?)```/s.exec(readme) ?? [];
  expect(code).toBeDefined();

  const folder = mkdtempSync(join(tmpdir(), "pt2-readme-"));
  // Inside the package, where its own name resolves to it.
  const script = fileURLToPath(new URL(`../readme-${process.pid}.tmp.ts`, import.meta.url));
  try {
    copyFileSync(fixturePath("torch-2.13/mlp.pt2"), join(folder, "model.pt2"));
    writeFileSync(script, code!);
    const tsx = import.meta.resolve("tsx");
    const run = spawnSync(process.execPath, ["-C", "dev", "--import", tsx, script], { cwd: folder, encoding: "utf8" });
    expect(run.stderr).toBe("");
    expect(run.stdout).toBe(output);
  } finally {
    rmSync(script, { force: true });
    rmSync(folder, { recursive: true });
  }
});
