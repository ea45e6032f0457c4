// Files that stayed open: after backends were disposed, and after loads that failed.
import { mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { fromFile } from "@pt2/format/node";
import { type LoadOptions, load, readSchema } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { missingLibtorch, missingWebgpu, type TestedBackend } from "../backends.ts";
import { editFixture } from "../edit-fixture.ts";
import { fixturePath } from "../fixture.ts";

/**
 * Counts the descriptors of this process that are open on files of a folder. Undefined where the system does not list
 * them.
 */
async function openIn(folder: string): Promise<number | undefined> {
  const names = await readdir("/proc/self/fd").catch(() => undefined);
  if (names === undefined) return undefined;
  const targets = await Promise.all(names.map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")));
  return targets.filter((target) => target.startsWith(folder)).length;
}

let folder: string;
const files = { good: "", foreign: "", notAModel: "", cut: "" };
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pt2-open-"));
  for (const name of Object.keys(files) as (keyof typeof files)[]) files[name] = join(folder, `${name}.pt2`);
  const good = await readFile(fixturePath("torch-2.13/mlp.pt2"));
  await writeFile(files.good, good);
  await writeFile(files.foreign, await editFixture("torch-2.13/mlp", "torch.ops.aten.", "torch.ops.mine."));
  await writeFile(files.notAModel, "<!doctype html>");
  await writeFile(files.cut, good.subarray(0, good.length / 2));
});
afterAll(() => rm(folder, { recursive: true }));

if ((await openIn("/")) === undefined) {
  it.skip("skipped: this system does not list the files of a process");
} else {
  // These backends are not shared, because they are disposed here.
  testBackend({ name: "wasm in a worker", missing: null, create: async () => wasm() });
  testBackend({ name: "wasm", missing: null, create: async () => wasm({ worker: false }) });
  testBackend({ name: "libtorch", missing: await missingLibtorch(), create: () => libtorch() });
  testBackend({ name: "webgpu", missing: await missingWebgpu(), create: () => webgpu() });

  it("no file stays open after wrong options, or a source that was opened before", async () => {
    const bad: readonly unknown[] = [undefined, {}, { backend: null }, { backend: Promise.resolve({}) }];
    for (const options of bad) {
      const code = { code: "runtime.options" };
      await expect(load(files.good, options as LoadOptions)).rejects.toMatchObject(code);
      await expect(load(await fromFile(files.good), options as LoadOptions)).rejects.toMatchObject(code);
    }
    await expect(readSchema(files.cut)).rejects.toMatchObject({ code: "format.truncated" });
    expect(await openIn(folder)).toBe(0);
  });
}

function testBackend({ name, missing, create }: TestedBackend): void {
  describe(`files of ${name}`, () => {
    if (missing !== null) return it.skip(`skipped: ${missing}`);
    const record = { name: "aten::relu" };

    it("files are closed after a load that failed, at whatever stage", async () => {
      const backend = await create();
      const failures: readonly (readonly [file: string, options: object, code: string])[] = [
        [files.good, { ops: 7 }, "runtime.options"],
        [files.good, { handlers: {} }, "runtime.options"],
        [files.good, { ops: [{ name: "twice", ops: [record, record] }] }, ""],
        [files.good, { ops: [null] }, ""],
        [files.good, { backend: Object.create(backend, { apiVersion: { value: 99 } }) }, "runtime.backend-version"],
        [files.good, { model: "nobody" }, "format.no-model"],
        [files.good, { signal: AbortSignal.abort() }, ""],
        [files.foreign, {}, "runtime.unsupported-ops"],
        [files.notAModel, {}, "format.not-an-archive"],
        [files.cut, {}, "format.truncated"],
      ];
      for (const [file, options, code] of failures) {
        const problem = await load(file, { backend, ...options } as LoadOptions).then(
          () => "loaded",
          (error: unknown) => error,
        );
        expect(problem).toBeInstanceOf(Error);
        if (code !== "") expect(problem).toMatchObject({ code });
        expect(await openIn(folder)).toBe(0);
      }
      await backend.dispose();
    });

    it("files are closed after an abort at whatever moment", async () => {
      const backend = await create();
      for (let turn = 0; turn < 20; turn++) {
        const controller = new AbortController();
        const loading = load(files.good, { backend, signal: controller.signal }).then(
          (model) => model.dispose(),
          () => {},
        );
        for (let i = 0; i < turn * 3; i++) await new Promise((resolve) => setImmediate(resolve));
        controller.abort();
        await loading;
      }
      expect(await openIn(folder)).toBe(0);
      await backend.dispose();
    });

    it("files are closed with the backend alone", async () => {
      const backend = await create();
      const models = [await load(files.good, { backend }), await load(files.good, { backend })];
      await backend.dispose();
      expect(await openIn(folder)).toBe(0);
      // A second call changes nothing.
      for (const model of models) await model.dispose();
      await backend.dispose();
    });
  });
}
