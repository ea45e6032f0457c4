import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { recordedFile } from "@pt2/testing/recorded-file";
import { describe, expect, it } from "vitest";
import { fixtureArgs, fixturePath, pt2, temporaryFolder, withExtraFiles } from "./fixtures.test-helper.ts";

const MLP = fixtureArgs("torch-2.13/mlp");
/** Makes relu nothing but its argument, and so the results wrong. */
const HANDLER = `{ ops: ["aten::relu"], rewrite: ({ self }) => self }`;

function module(text: string, name = "mine.mjs"): readonly ["--ops", string] {
  const path = join(temporaryFolder(), name);
  writeFileSync(path, text);
  return ["--ops", path];
}

describe("--ops", () => {
  it.each([
    ["handlers", `export const handlers = [${HANDLER}];`],
    ["a default export", `export default { handlers: [${HANDLER}] };`],
  ])("--ops lets every command that loads a program use %s", async (_, text) => {
    const own = module(text);
    const [file = "", ...inputs] = fixtureArgs("torch-2.13/mlp", false);
    expect((await pt2("verify", ...MLP)).code).toBe(0);
    expect(await pt2("verify", ...MLP, ...own)).toMatchObject({ code: 1, out: expect.stringContaining("FAILED") });
    for (const command of ["ops", "run", "bench", "profile"]) {
      const given = command === "ops" ? [] : inputs;
      const { code, out } = await pt2(command, file, ...given, ...own, ...(command === "bench" ? ["--runs", "1"] : []));
      expect({ command, code }).toEqual({ command, code: 0 });
      if (command === "profile") expect(out).not.toContain("aten::relu");
    }
    expect(await pt2("verify", file, ...inputs, "--per-node", ...own)).toMatchObject({ code: 0 });
    expect(await pt2("graph", file, "--prepared", ...own)).toMatchObject({ code: 0 });
  });

  it.each([
    ["", "The module exports neither op sets nor handlers, but nothing"],
    ["export const ops = 3, mine = 4;", "but mine, ops"],
    ["export const ops = [];", "neither op sets nor handlers"],
    ["throw new Error('mine is broken')", "The module cannot be loaded: mine is broken"],
    ["import 'nothing-of-that-name';", "The module cannot be loaded: "],
  ])("--ops rejects %j", async (text, message) => {
    const { code, out, err } = await pt2("ops", fixturePath("torch-2.13/mlp.pt2"), ...module(text));
    expect({ code, out }).toEqual({ code: 2, out: "" });
    expect(err).toContain(message);
    expect(err).toContain("code: cli.ops");
  });

  it("the advice for missing ops names --ops", async () => {
    const file = join(temporaryFolder(), "bend.pt2");
    // A name of the same length keeps every offset of the archive.
    const text = readFileSync(MLP[0]!, "latin1").replaceAll(
      "torch.ops.aten.relu.default",
      "torch.ops.mine.bend.default",
    );
    writeFileSync(file, text, "latin1");
    const adviceOf = async (...args: readonly string[]): Promise<string> =>
      JSON.parse((await pt2(...args, "--json")).out).error.advice;
    expect(await adviceOf("run", file)).toBe(
      "pass the op package that defines them with --ops, a handler of your own with --ops too, or another backend",
    );
    expect(await adviceOf("codegen", file)).toBe("pass the module or the package whose op set defines it with --ops");
    const data = recordedFile(fixturePath("torch-2.13/mlp"), "inputs");
    const checkpoint = join(temporaryFolder(), "c.safetensors");
    expect(await adviceOf("train", file, "--data", data, "--checkpoint", checkpoint)).toBe(
      "Check its name, or pass the op set that defines it with --ops.",
    );
  });

  it("the advice for missing ops of a known package names --ops", async () => {
    const schema = "mine::bend(Tensor self) -> Tensor";
    const list = { "mine::bend": { schema, package: "bend-ops", version: "1.2.0" } };
    const file = await withExtraFiles("torch-2.13/mlp", new Map([["custom_ops.json", JSON.stringify(list)]]));
    const text = readFileSync(file, "latin1").replaceAll("torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
    writeFileSync(file, text, "latin1");
    const { err } = await pt2("run", file);
    expect(err).toContain(
      "`npm install bend-ops@1.2.0` and pass it with --ops: the file names it for these ops; or pass",
    );
  });

  it("--ops takes a package that is installed in the current folder, and a file before a package", async () => {
    const project = temporaryFolder();
    const installed = join(project, "node_modules/@mine/ops");
    mkdirSync(installed, { recursive: true });
    const manifest = { name: "@mine/ops", type: "module", exports: { "./wasm": { default: "./ops.js" } } };
    writeFileSync(join(installed, "package.json"), JSON.stringify(manifest));
    writeFileSync(join(installed, "ops.js"), `export const handlers = [${HANDLER}];`);
    const before = process.cwd();
    process.chdir(project);
    try {
      const wrong = { code: 1, out: expect.stringContaining("FAILED") };
      // A folder of that name is no module.
      mkdirSync(join(project, "@mine/ops/wasm"), { recursive: true });
      expect(await pt2("verify", ...MLP, "--ops", "@mine/ops/wasm")).toMatchObject(wrong);
      expect((await pt2("verify", ...MLP, "--ops", "@mine/ops/webgpu")).err).toContain("pass a sub-path");
      writeFileSync(join(project, "@mine/ops/webgpu"), "");
      expect((await pt2("verify", ...MLP, "--ops", "@mine/ops/webgpu")).err).not.toContain("pass a sub-path");
    } finally {
      process.chdir(before);
    }
  });

  it.each(["/nowhere/mine.mjs", "./mine.mjs", "not-installed/wasm"])(
    "--ops rejects %s, which is not there",
    async (name) => {
      const { code, err } = await pt2("run", MLP[0]!, "--ops", name);
      expect(code).toBe(2);
      expect(err).toContain(`The module cannot be loaded: Cannot find module '${name}'\n`);
      expect(err).toContain("code: cli.ops");
    },
  );
});
