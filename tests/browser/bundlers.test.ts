import { mkdir, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OWN } from "../bundlers/bundlers.ts";
import { ANSWER, writeProject } from "../bundlers/project.ts";
import { installInto } from "../src/installed-project.ts";
import { missingBrowser } from "./browser.ts";

const TOOLS = { vite: "bin/vite.js", esbuild: "bin/esbuild" };

if (missingBrowser !== "") {
  describe("the packed packages", () => test.skip(missingBrowser));
} else {
  describe("the packed packages, with the tools of this repository", () => {
    let folder: string;

    beforeAll(async () => {
      folder = await mkdtemp(join(tmpdir(), "pt2-bundlers-"));
      await installInto(folder);
      const modules = join(folder, "node_modules");
      await mkdir(join(modules, ".bin"), { recursive: true });
      for (const [name, path] of Object.entries(TOOLS)) {
        const tool = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url));
        await symlink(tool, join(modules, name), "junction");
        await symlink(join(tool, path), join(modules, ".bin", name));
      }
    });
    afterAll(() => rm(folder, { recursive: true }));

    test.each(OWN.map((bundler, i) => ({ ...bundler, i })))("answer with $name", async ({ files, run, i }) => {
      const project = join(folder, `project-${i}`);
      await mkdir(project);
      await symlink(join(folder, "node_modules"), join(project, "node_modules"), "junction");
      await writeProject(project, { "package.json": '{ "type": "module" }', ...files });
      const answers = await run(project);
      expect(new Set(answers)).toEqual(new Set([ANSWER]));
    });
  });
}
