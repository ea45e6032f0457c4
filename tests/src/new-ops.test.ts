import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { capture, captureScript } from "./capture.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
/** A folder inside this package, where every `@pt2` name resolves. */
const SNIPPETS = join(ROOT, "tests/.snippets");

let folder: string;
beforeAll(async () => {
  await mkdir(SNIPPETS, { recursive: true });
  folder = await mkdtemp(join(SNIPPETS, "new-ops-"));
});
afterAll(() => rm(folder, { recursive: true }));

const pt2 = (...args: readonly string[]) =>
  captureScript([join(ROOT, "packages/cli/src/main.ts"), ...args], { cwd: folder, env: process.env });

it("pt2 new ops writes a package that type-checks and passes its own test", { timeout: 120_000 }, async () => {
  const made = await pt2("new", "ops", "my-ops");
  expect(made).toMatchObject({ code: 0, stderr: "" });
  const files = ["README.md", "package.json", "src/index.ts", "test/ops.test.ts", "tsconfig.json"];
  expect(made.stdout).toBe(files.map((file) => `${join("my-ops", file)}\n`).join(""));
  const project = join(folder, "my-ops");
  for (const file of files) expect(await readFile(join(project, file), "utf8")).not.toContain("{{");

  const guide = await readFile(join(ROOT, "docs/publishing-ops.md"), "utf8");
  const { version } = JSON.parse(await readFile(join(ROOT, "packages/cli/package.json"), "utf8"));
  for (const file of ["package.json", "src/index.ts", "test/ops.test.ts"]) {
    const text = (await readFile(join(project, file), "utf8")).replaceAll(`"${version}"`, '"0.0.0"');
    expect(guide).toContain(`\n${text}\`\`\`\n`);
  }

  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const built = await capture(process.execPath, [tsc, "-p", project], { cwd: project, env: process.env });
  expect(built).toMatchObject({ code: 0, stdout: "", stderr: "" });
  const tested = await captureScript(["--test", "dist/test/ops.test.js"], { cwd: project, env: process.env });
  expect(tested).toMatchObject({ code: 0 });
  expect(tested.stdout).toMatch(/pass 1\b/);
});

it("pt2 new refuses another kind, a name that npm would refuse, and a folder that exists", async () => {
  for (const [args, what] of [
    [["model", "x"], 'There is no kind "model"'],
    [["ops", "My Ops"], '"My Ops" is no name for a package'],
    [["ops", "../.snippets"], '".snippets" is no name for a package'],
    [["ops", "nowhere/my-ops"], "cannot be made"],
  ] as const) {
    expect(await pt2("new", ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(what) });
  }
  await mkdir(join(folder, "taken"));
  expect(await pt2("new", "ops", "taken")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("exists already"),
  });
});
