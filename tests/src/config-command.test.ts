import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { captureScript } from "./capture.ts";
import { fixturePath } from "./fixture.ts";

const MAIN = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

it("pt2 reads pt2.config.ts of the current folder, and no other one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "pt2-config-"));
  const file = fixturePath("torch-2.13/mlp.pt2");
  const ops = (cwd: string) =>
    captureScript([MAIN, "ops", file], { cwd, env: { ...process.env, PT2_BACKEND: "wasm" } });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  writeFileSync(join(folder, "pt2.config.ts"), 'const backend: string = "nothing"; export default { backend };');
  expect((await ops(folder)).stderr).toContain('There is no backend "nothing"');
  expect(await ops(tmpdir())).toMatchObject({ code: 0, stderr: "" });
});
