import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const PACKAGE = fileURLToPath(new URL("../../", import.meta.url));

it("npm packs every template of `pt2 new`, tests too, and none of the tests of the command line", () => {
  const args = ["pack", "--dry-run", "--json", "--ignore-scripts"];
  const packed = execFileSync("npm", args, { cwd: PACKAGE, encoding: "utf8", shell: process.platform === "win32" });
  const [{ files }] = JSON.parse(packed) as [{ readonly files: readonly { readonly path: string }[] }];
  const paths = files.map(({ path }) => path);
  const templates = readdirSync(join(PACKAGE, "templates/ops"), { recursive: true, encoding: "utf8" });
  const named = templates
    .filter((name) => name.endsWith(".template"))
    .map((name) => `templates/ops/${name.replaceAll("\\", "/")}`);
  expect(named).toContain("templates/ops/test/ops.test.ts.template");
  expect(paths).toEqual(expect.arrayContaining(named));
  expect(paths.filter((path) => /^(src|dist)\/.*\.test/.test(path))).toEqual([]);
});
