import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixturePath } from "./fixture.ts";

const PACKAGES = fileURLToPath(new URL("../../packages/", import.meta.url));
const CLI = join(PACKAGES, "cli/src/main.ts");
/** A block of code or of one `pt2` command, directly followed by what it prints. */
const EXAMPLE = /```(ts|sh)\n([^`]*?)```\n+```text\n(.*?)```/gs;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "pt2-readme-"));
  const fixtures = fixturePath("torch-2.13");
  for (const file of readdirSync(fixtures))
    if (file.endsWith(".pt2")) copyFileSync(join(fixtures, file), join(folder, file));
  copyFileSync(fixturePath("torch-2.13/mlp.pt2"), join(folder, "model.pt2"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a script beside a `model.pt2` and the fixtures of torch 2.13. */
function run(script: string, args: readonly string[] = []): { readonly stdout: string; readonly stderr: string } {
  const command = ["-C", "dev", "--import", import.meta.resolve("tsx"), script, ...args];
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: "utf8" });
  return { stdout, stderr };
}

/** Runs code inside a package, where its own name resolves to it. */
function runCode(home: string, code: string): { readonly stdout: string; readonly stderr: string } {
  const script = join(home, `readme-${process.pid}.tmp.ts`);
  writeFileSync(script, code);
  try {
    return run(script);
  } finally {
    rmSync(script);
  }
}

for (const name of readdirSync(PACKAGES)) {
  const home = join(PACKAGES, name);
  const path = join(home, "README.md");
  const examples = existsSync(path) ? [...readFileSync(path, "utf8").matchAll(EXAMPLE)] : [];
  if (examples.length === 0) continue;
  describe(`README of ${name}`, () => {
    for (const [, language, code = "", printed = ""] of examples) {
      it(`${code.trim().split("\n")[0]} prints what it says`, () => {
        const [program, ...args] = code.trim().split(/\s+/);
        if (language === "sh") expect(program).toBe("pt2");
        const { stdout, stderr } = language === "sh" ? run(CLI, args) : runCode(home, code);
        expect(stderr).toBe("");
        expect(stdout).toBe(printed);
      });
    }
  });
}
