// Damage that was not noticed before: other numbers without an error.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type LoadOptions, load } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";
import { serveModel } from "../network/model-server.ts";
import { wideModel } from "../network/wide-model.ts";
import { pt2 } from "../pt2.ts";

let folder: string;
let path: string;
const file = (await wideModel()).slice();
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pt2-damage-"));
  path = join(folder, "damaged.pt2");
  // The byte is in the first weight, which takes more than half of the file.
  file[1_000_000]! ^= 16;
  await writeFile(path, file);
});
afterAll(() => rm(folder, { recursive: true }));

for (const { name, missing, create, precision } of await testedBackends()) {
  describe(`a flipped bit in a weight on ${name}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    const options = async (): Promise<LoadOptions> => ({ backend: await create(), ...(precision && { precision }) });
    const damage = { code: "format.checksum", where: "archive/data/weights/weight_0" };

    it("a flipped bit ends a load that verifies checksums", async () => {
      for (const source of [path, file, new Blob([file])]) {
        await expect(load(source, { ...(await options()), verifyChecksums: true })).rejects.toMatchObject(damage);
      }
    });

    it("a flipped bit ends a load over HTTP by default", async () => {
      await using server = await serveModel(file);
      await expect(load(server.url, await options())).rejects.toMatchObject(damage);
      await (await load(server.url, { ...(await options()), verifyChecksums: false })).dispose();
    });
  });
}

it("a flipped bit is found by pt2 verify --checksums", async () => {
  const { code, stdout } = await pt2("verify", path, "--checksums");
  expect(stdout).toContain("FAIL  data/weights/weight_0\n");
  expect(code).toBe(1);
  file[1_000_000]! ^= 16;
  await writeFile(path, file);
  const again = await pt2("verify", path, "--checksums", "--json");
  expect(JSON.parse(again.stdout)).toMatchObject({ ok: true, damaged: [] });
  expect(again.code).toBe(0);
});
