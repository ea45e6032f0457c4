import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "./fixtures.test-helper.ts";
import { importOptional } from "./optional-package.ts";

const NAME = "@pt2/backend-far";
/** What Node says where this program is installed without the package. */
const absent = (name: string) => () =>
  Promise.reject(
    Object.assign(new Error(`Cannot find package '${name}' imported from /cli.js`), { code: "ERR_MODULE_NOT_FOUND" }),
  );

it("a backend that only the project has is found there", async () => {
  const folder = temporaryFolder();
  const installed = join(folder, "node_modules", NAME);
  mkdirSync(installed, { recursive: true });
  const manifest = { name: NAME, type: "module", exports: { "./node": "./node.js" } };
  writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(installed, "node.js"), "export const far = 7;");
  expect(await importOptional(NAME, absent(NAME), { folder })).toMatchObject({ far: 7 });
});

it("a backend that is nowhere is refused with how to install it, and other failures are not hidden", async () => {
  const folder = temporaryFolder();
  await expect(importOptional(NAME, absent(NAME), { folder })).rejects.toMatchObject({
    code: "cli.backend",
    what: expect.stringContaining("is not installed"),
    advice: `npm install ${NAME}`,
  });
  await expect(importOptional(NAME, absent("fflate"), { folder })).rejects.toThrow("Cannot find package 'fflate'");
  await expect(importOptional(NAME, () => Promise.reject(new TypeError("no")), { folder })).rejects.toThrow(TypeError);
});
