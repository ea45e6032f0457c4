import { spawnSync } from "node:child_process";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { documentPaths, modulesOf, ROOT, snippetsOf, writeModules } from "./documents.ts";

const TSC = join(ROOT, "node_modules/typescript/bin/tsc");

/** A strict project of users, whose packages are those of the repository. */
const PROJECT = {
  compilerOptions: {
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    module: "NodeNext",
    customConditions: ["dev"],
    types: ["node"],
    strict: true,
    exactOptionalPropertyTypes: true,
    moduleDetection: "force",
    allowImportingTsExtensions: true,
    noEmit: true,
    skipLibCheck: true,
  },
  include: ["**/*.ts"],
};

it("the TypeScript of documents compiles in a strict project", async () => {
  const folder = await writeModules(new Map([["tsconfig.json", JSON.stringify(PROJECT)]]));
  try {
    for (const path of documentPaths()) {
      const markdown = await readFile(join(ROOT, path), "utf8");
      const own = join(folder, path.replaceAll("/", "-"));
      await mkdir(own);
      for (const [name, code] of modulesOf(markdown)) await writeFile(join(own, name), code);
      for (const { language, code, line } of snippetsOf(markdown)) {
        if (language === "ts") await writeFile(join(own, `line-${line}.ts`), code);
      }
    }
    const { stdout } = spawnSync(process.execPath, [TSC, "-p", folder, "--pretty", "false"], { encoding: "utf8" });
    expect(stdout).toBe("");
  } finally {
    await rm(folder, { recursive: true });
  }
});
