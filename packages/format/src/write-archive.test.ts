import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fromBytes } from "./byte-source.ts";
import { fixture, fixtureNames } from "./fixtures.test-helper.ts";
import { openArchive } from "./open-archive.ts";
import { readTensor } from "./tensor-data.ts";
import { archiveToBytes } from "./write-archive.ts";

/** Opens and writes a fixture. */
async function rewrite(name: string): Promise<Uint8Array> {
  const archive = await openArchive(fromBytes(fixture(name)));
  const entryName = archive.generation === "flat" ? "serialized_example_inputs.pt" : "data/sample_inputs/model.pt";
  const model = {
    program: await archive.program(),
    weights: await archive.weights(),
    sampleInputs: await archive.readEntry(entryName),
  };
  return archiveToBytes({ models: [model], extraFiles: new Map([["notes/a.txt", "grüße"]]) });
}

describe("writeArchive", () => {
  it.each(["torch-2.6/strides.pt2", "torch-2.8/consts.pt2", "torch-2.13/buffers.pt2"])(
    "writeArchive keeps all of %s",
    async (name) => {
      const before = await openArchive(fromBytes(fixture(name)));
      const after = await openArchive(fromBytes(await rewrite(name)), { verifyChecksums: true });
      expect(after.generation).toBe("current");
      expect(await after.sampleInputs()).toBeDefined();
      const [old, now] = [await before.weights(), await after.weights()];
      expect([...now.keys()].sort()).toEqual([...old.keys()].sort());
      for (const [key, tensor] of old) {
        const { storage, ...rest } = tensor;
        expect(now.get(key)).toMatchObject(rest);
        expect(await readTensor(now.get(key)!)).toEqual(await readTensor(tensor));
      }
      const storages = (weights: typeof old): number =>
        new Set([...weights.values()].map(({ storage }) => storage)).size;
      expect(storages(now)).toBe(storages(old));
    },
  );

  it("writeArchive rejects names that cannot be written", async () => {
    await expect(archiveToBytes({ models: [], root: "a/b" })).rejects.toMatchObject({ code: "format.write" });
  });
});

const LOAD = `
import sys, torch
for path in sys.argv[1:]:
    extra = {"notes/a.txt": ""}
    ep = torch.export.load(path, extra_files=extra)
    assert extra["notes/a.txt"] == "grüße", extra
    if ep.example_inputs is not None:
        ep.module()(*ep.example_inputs[0], **ep.example_inputs[1])
print("loaded", len(sys.argv) - 1)
`;

const PYTHON = process.env.PT2_PYTHON ?? "python3";
const probe = spawnSync(PYTHON, ["-c", "import torch; print(torch.__version__)"], { encoding: "utf8" });
const version = probe.status === 0 ? probe.stdout.trim() : undefined;
const missing = version === undefined ? ` (skipped: ${PYTHON} has no torch; set PT2_PYTHON)` : "";

describe.skipIf(version === undefined)(`torch.export.load opens archives of writeArchive${missing}`, () => {
  let folder = "";
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "pt2-"));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  it("torch.export.load opens archives of writeArchive, for every fixture", async () => {
    const paths: string[] = [];
    for (const name of fixtureNames()) {
      const path = join(folder, name.replace("/", "_"));
      writeFileSync(path, await rewrite(name));
      paths.push(path);
    }
    const run = spawnSync(PYTHON, ["-c", LOAD, ...paths], { encoding: "utf8" });
    expect(run.stdout.trim(), run.stderr.slice(-3000)).toBe(`loaded ${paths.length}`);
  });
});
