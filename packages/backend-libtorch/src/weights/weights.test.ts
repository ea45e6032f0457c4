import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Progress } from "@pt2/backend";
import { floats, weightOf } from "@pt2/conformance";
import type { WeightTensor } from "@pt2/format";
import { afterAll, beforeAll, expect, it } from "vitest";
import { LibtorchBackend } from "../backend.ts";
import { describeWithLibtorch } from "../libtorch.test-helper.ts";
import { compileBody, elementsOf } from "../programs.test-helper.ts";

const SUM = `
  parameter "w" = %w: f32[2, 3]
  parameter "v" = %v: f32[3]
  parameter "unread" = %u: f32[3]
  user_input %x: f32[2, 3]
  %a: f32[2, 3] = aten::add.Tensor(%x, other=%w)
  %b: f32[2, 3] = aten::add.Tensor(%a, other=%v)
  return %b`;
const x = floats([2, 3], 0, 0, 0, 0, 0, 0);
const elements = floats([6], 1, 2, 3, 4, 5, 6);

describeWithLibtorch("weights", ({ addon }) => {
  const backend = new LibtorchBackend(addon, { mmap: true });
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-weights-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Two views of one record, which is in a file from `start` on; `reads` counts how often it is read instead. */
  const located = async (start: number, reads: string[] = []): Promise<Record<string, WeightTensor>> => {
    const path = join(folder, `at${start}.bin`);
    const { buffer } = elements.data;
    await writeFile(path, Buffer.concat([Buffer.alloc(start), Buffer.from(buffer as ArrayBuffer)]));
    const whole = weightOf("w", elements, { storage: "record", shape: [2, 3], strides: [1, 2] });
    const storage: WeightTensor["storage"] = {
      ...whole.storage,
      locate: async () => ({ kind: "file", path, start }),
      async read() {
        reads.push("record");
        return new Uint8Array(buffer as ArrayBuffer);
      },
    };
    const tail = weightOf("v", elements, { storage: "record", shape: [3], strides: [1], storageOffset: 3 });
    return { w: { ...whole, storage }, v: { ...tail, storage }, unread: weightOf("unread", floats([3], 0, 0, 0)) };
  };

  it.each(["exact", "fast"] as const)(
    "a record in a file is mapped once, with strides and views: %s",
    async (precision) => {
      const reads: string[] = [];
      const executable = await compileBody(backend, SUM, await located(64, reads), { precision });
      expect(elementsOf((await executable.run([x]))[0])).toEqual([5, 8, 11, 6, 9, 12]);
      expect(reads).toEqual([]);
      expect((await executable.memory()).weights).toBe(24);
      await executable.dispose();
    },
  );

  it.each(["exact", "fast"] as const)("small weights are read, and the file may change: %s", async (precision) => {
    const reads: string[] = [];
    const weights = await located(192, reads);
    const executable = await compileBody(new LibtorchBackend(addon), SUM, weights, { precision });
    expect(reads).toEqual(["record"]);
    await writeFile(join(folder, "at192.bin"), "");
    expect(elementsOf((await executable.run([x]))[0])).toEqual([5, 8, 11, 6, 9, 12]);
    await executable.dispose();
  });

  it("a record that is not aligned as PyTorch aligns is read, and so is one that the file is too short for", async () => {
    const reads: string[] = [];
    for (const weights of [await located(68, reads), await short(reads)]) {
      const executable = await compileBody(backend, SUM, weights);
      expect(elementsOf((await executable.run([x]))[0])).toEqual([5, 8, 11, 6, 9, 12]);
      await executable.dispose();
    }
    expect(reads).toEqual(["record", "record"]);
  });

  const short = async (reads: string[]): Promise<Record<string, WeightTensor>> => {
    const weights = await located(128, reads);
    await writeFile(join(folder, "at128.bin"), Buffer.alloc(130));
    return weights;
  };

  it("progress counts storages that are read; an abort between them ends the load", async () => {
    const seen: Progress[] = [];
    const weights = { w: weightOf("w", floats([2, 3], 1, 1, 1, 1, 1, 1)), v: weightOf("v", floats([3], 1, 1, 1)) };
    const onProgress = (progress: Progress): void => void seen.push(progress);
    await (await compileBody(backend, SUM, weights, { onProgress })).dispose();
    expect(seen).toEqual([
      { stage: "weights", done: 24, total: 36 },
      { stage: "weights", done: 36, total: 36 },
    ]);
    const controller = new AbortController();
    const reason = new Error("closed");
    const options = { signal: controller.signal, onProgress: () => controller.abort(reason) };
    await expect(compileBody(backend, SUM, weights, options)).rejects.toBe(reason);
  });

  it("a weight that is not what the program declares is refused", async () => {
    const wrong = { w: weightOf("w", floats([3], 1, 1, 1)), v: weightOf("v", floats([3], 1, 1, 1)) };
    await expect(compileBody(backend, SUM, wrong)).rejects.toMatchObject({ code: "libtorch.weight-mismatch" });
    await expect(compileBody(backend, SUM, {})).rejects.toMatchObject({ code: "libtorch.missing-weight" });
  });
});
