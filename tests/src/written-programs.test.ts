import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { archiveToBytes, openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { exportProgram, importProgram } from "@pt2/graph";
import { load, type Tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { captureScript } from "./capture.ts";
import { fixtureNames, fixturePath } from "./fixture.ts";

const python = process.env.PT2_PYTHON;
const probe = python === undefined ? null : spawnSync(python, ["-c", "import torch; print(torch.__version__)"]);
const version = probe?.status === 0 ? probe.stdout.toString().trim() : undefined;
const missing = version === undefined ? " (skipped: no Python with torch; run `pnpm run setup`)" : "";
const CLI = fileURLToPath(new URL("../../packages/cli/src/main.ts", import.meta.url));

/** Runs both files of each pair on the example inputs of the first one; prints a line for each that differs. */
const COMPARE = `
import copy, sys, torch
from torch.utils import _pytree as pytree
for original, written in zip(sys.argv[1::2], sys.argv[2::2]):
    args, kwargs = torch.export.load(original).example_inputs
    results = [
        pytree.tree_flatten(torch.export.load(file).module()(*copy.deepcopy(args), **copy.deepcopy(kwargs)))
        for file in (original, written)
    ]
    (leaves, spec), (written_leaves, written_spec) = results
    same = [
        torch.equal(a.nan_to_num(), b.nan_to_num()) if isinstance(a, torch.Tensor) else a == b
        for a, b in zip(leaves, written_leaves)
    ]
    if spec != written_spec or len(leaves) != len(written_leaves) or not all(same):
        print(original, spec, written_spec, same)
print("compared", len(sys.argv[1::2]))
`;

/** Prints the results of a file of one input, which counts from 0 in steps of 1/7. */
const RUN = `
import json, sys, torch
x = (torch.arange(35.0, dtype=torch.float64) / 7).to(torch.float32).reshape(5, 7)
print(json.dumps(torch.export.load(sys.argv[1]).module()(x).flatten().tolist()))
`;

describe.skipIf(version === undefined)(`PyTorch opens written programs${missing}`, () => {
  let folder = "";
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-written-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const inPython = (script: string, ...args: readonly string[]): string => {
    const { stdout, stderr } = spawnSync(python!, ["-W", "ignore", "-c", script, ...args], { encoding: "utf8" });
    return stdout.trim() || stderr;
  };

  it("programs that are imported and exported have the same results, in the same structure", async () => {
    const pairs: string[] = [];
    const names = fixtureNames().filter((name) => name.startsWith("torch-2.13/"));
    for (const name of names) {
      const archive = await openArchive(await fromFile(fixturePath(`${name}.pt2`)));
      const program = exportProgram(importProgram(await archive.program()));
      const bytes = await archiveToBytes({ models: [{ program, weights: await archive.weights() }] });
      await archive.close();
      const path = join(folder, `${basename(name)}.pt2`);
      await writeFile(path, bytes);
      pairs.push(fixturePath(`${name}.pt2`), path);
    }
    expect(names.length).toBeGreaterThan(20);
    expect(inPython(COMPARE, ...pairs)).toBe(`compared ${names.length}`);
  });

  it.each(["text", "json"])(
    "a program that was changed as %s has the same results in PyTorch as here",
    async (format) => {
      const pt2 = async (...args: readonly string[]): Promise<void> => {
        expect(await captureScript([CLI, ...args], { cwd: folder, env: process.env })).toMatchObject({ code: 0 });
      };
      const original = fixturePath("torch-2.13/mlp.pt2");
      const [program, changed] = [join(folder, `mlp.${format}`), join(folder, `changed-${format}.pt2`)];
      await pt2("graph", original, "--format", format, "-o", program);
      await writeFile(program, (await readFile(program, "utf8")).replace("aten::relu", "aten::tanh"));
      await pt2("save", program, "--weights", original, "-o", changed);

      await using model = await load(changed, { backend: wasm() });
      const x = Float32Array.from({ length: 35 }, (_, i) => i / 7);
      const here = (await (await model.forward<Tensor>(x)).read()) as Float32Array;
      const there = JSON.parse(inPython(RUN, changed)) as number[];
      expect(there).toHaveLength(here.length);
      for (const [i, value] of there.entries()) expect(here[i]).toBeCloseTo(value, 5);
    },
  );
});
