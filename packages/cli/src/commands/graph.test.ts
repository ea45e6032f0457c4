import { copyFileSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { archiveToBytes, openArchive, writeSafetensors } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { expect, it } from "vitest";
import { fixturePath, type Outcome, pt2, temporaryFolder } from "../fixtures.test-helper.ts";

it.each(["dynamic.json", "dynamic.txt"])(
  "guards of a file are in the program that graph writes as %s",
  async (name) => {
    const archive = await openArchive(await fromFile(fixturePath("torch-2.13/dynamic.pt2")));
    const [exported, weights] = [await archive.program(), await archive.weights()];
    const program = { ...exported, guardsCode: ["L['ids'].size()[0] % 2 == 0"] };
    const folder = temporaryFolder();
    const [file, text] = [join(folder, "guarded.pt2"), join(folder, name)];
    writeFileSync(file, await archiveToBytes({ models: [{ program, weights }] }));
    await archive.close();
    expect(await pt2("graph", file, "-o", text)).toMatchObject({ code: 0, err: "" });
    const run = async (rows: number): Promise<Outcome> => {
      const ids = { dtype: "int64", shape: [rows, 3], bytes: new Uint8Array(8 * 3 * rows) } as const;
      const chunks: Uint8Array[] = [];
      await writeSafetensors(new Map([["ids", ids]]), async (chunk) => void chunks.push(chunk));
      const inputs = join(folder, `${rows}.safetensors`);
      writeFileSync(inputs, Buffer.concat(chunks));
      return await pt2("run", text, "--weights", file, "--inputs", inputs);
    };
    expect(await run(4)).toMatchObject({ code: 0, err: "" });
    expect(await run(3)).toMatchObject({ err: expect.stringContaining("Guard failed: ids.size()[0] % 2 == 0") });
    expect((await pt2("graph", file, "--format", "mermaid")).out).not.toContain("_assert_scalar");
  },
);

it("a model is not replaced by what is made of it", async () => {
  const model = join(temporaryFolder(), "model.pt2");
  copyFileSync(fixturePath("torch-2.13/mlp.pt2"), model);
  const before = readFileSync(model);
  for (const command of [
    ["graph", model, "--format", "text"],
    ["codegen", model],
    ["types", model],
  ]) {
    const { code, err } = await pt2(...command, "-o", model);
    expect([code, err]).toEqual([2, expect.stringContaining("would replace")]);
  }
  expect(readFileSync(model).equals(before)).toBe(true);
});

it("with --json stdout says where a program was written", async () => {
  const folder = temporaryFolder();
  const [json, saved] = [join(folder, "model.json"), join(folder, "saved.pt2")];
  const model = fixturePath("torch-2.13/mlp.pt2");
  expect(JSON.parse((await pt2("graph", model, "-o", json, "--json")).out)).toEqual({ path: json });
  const { out } = await pt2("save", json, "--weights", model, "-o", saved, "--json");
  expect(JSON.parse(out)).toMatchObject({ path: saved, bytes: statSync(saved).size });
});
