import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { fixtureArgs, fixturePath, pt2, temporaryFolder } from "./fixtures.test-helper.ts";

const MLP = fixtureArgs("torch-2.13/mlp");
const FILE = fixturePath("torch-2.13/mlp.pt2");
const WASM = pathToFileURL(join(import.meta.dirname, "../../backend-wasm/src/node.ts")).href;
/** Makes relu nothing but its argument, and so the results wrong. */
const HANDLER = `{ ops: ["aten::relu"], rewrite: ({ self }) => self }`;
const SET = `{ name: "mine", version: "2.0.0", ops: [{ name: "aten::relu", schema: { name: "aten::relu", args: [], returns: [], vararg: false } }], replace: true }`;

function config(text: string): readonly ["--config", string] {
  const path = join(temporaryFolder(), "settings.mjs");
  writeFileSync(path, text);
  return ["--config", path];
}

describe("--config", () => {
  it("gives handlers to every command that loads a program", async () => {
    const own = config(`export default { handlers: [${HANDLER}] };`);
    expect((await pt2("verify", ...MLP)).code).toBe(0);
    expect(await pt2("verify", ...MLP, ...own)).toMatchObject({ code: 1, out: expect.stringContaining("FAILED") });
  });

  it("gives backends by name, and the one to use by default", async () => {
    const text = `import { wasm } from ${JSON.stringify(WASM)};
      export default { backend: "mine", backends: { mine: ({ device }) => { console.error("made for", device); return wasm({ worker: false }); } } };`;
    const own = config(text);
    expect(await pt2("ops", FILE, ...own)).toMatchObject({
      code: 0,
      out: expect.stringContaining("wasm runs all ops"),
    });
    expect(await pt2("ops", FILE, ...own, "--backend", "other")).toMatchObject({
      code: 2,
      err: expect.stringContaining("choose one of mine, libtorch, wasm, webgpu"),
    });
    const { out } = await pt2("doctor", ...own);
    expect(out).toContain("mine");
    expect(out).toContain("as the configuration of this project makes it");
  });

  it.each([
    ["", "The configuration has no default export that is an object"],
    ["export default { backned: 'wasm' };", "has `backned`, which means nothing; did you mean `backend`?"],
    ["export default { backend: 3 };", "`backend` of the configuration is not the name of a backend"],
    ["export default { backends: { mine: 3 } };", "`backends` of the configuration is not an object of functions"],
    ["export default { ops: {} };", "`ops` of the configuration is not a list"],
    ["throw new Error('it is broken')", "The module cannot be loaded: it is broken"],
  ])("refuses %j", async (text, message) => {
    const { code, out, err } = await pt2("ops", FILE, ...config(text));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).toContain("code: cli.config");
  });

  it("names the packages of ops in programs as JSON", async () => {
    const { code, out } = await pt2("graph", FILE, "--format", "json", ...config(`export default { ops: [${SET}] };`));
    expect(code).toBe(0);
    expect((JSON.parse(out) as { readonly customOps: unknown }).customOps).toEqual({
      "aten::relu": { schema: "aten::relu() -> ()", package: "mine", version: "2.0.0" },
    });
  });
});
