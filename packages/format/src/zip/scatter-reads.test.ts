import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ByteSource } from "../byte-source.ts";
import { fromFile } from "../node.ts";
import { buildZip, type TestZipOptions } from "./build-zip.test-helper.ts";
import { ZipFile } from "./zip-file.ts";
import { ZipWriter } from "./zip-writer.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "pt2-batch-"));
});
afterAll(() => rm(folder, { recursive: true }));

const SIZES = [1, 64, 0, 9000, 77, 5000];
const entries = SIZES.map((size, i) => ({
  name: `data/weights/weight_${i}`,
  data: Uint8Array.from({ length: size }, (_, at) => (at * 7 + i) & 255),
}));

/** A file source that counts its reads. */
async function counting(bytes: Uint8Array): Promise<ByteSource & { readonly scattered: number[] }> {
  const path = join(folder, `${Math.random()}.zip`);
  await writeFile(path, bytes);
  const file = await fromFile(path);
  const scattered: number[] = [];
  return {
    size: file.size,
    scattered,
    read: (offset, length, options) => file.read(offset, length, options),
    scatter(offset, buffers, options) {
      scattered.push(buffers.length);
      return file.scatter!(offset, buffers, options);
    },
    close: () => file.close!(),
  };
}

/** The entries as PyTorch's writer lays them out. */
async function pytorchZip(): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const writer = new ZipWriter((chunk) => void chunks.push(chunk));
  for (const { name, data } of entries) await writer.add(name, data);
  await writer.finish();
  return new Uint8Array(Buffer.concat(chunks));
}

async function readAll(zip: ZipFile): Promise<readonly Uint8Array[]> {
  const entries = [...zip.entries.values()];
  // One entry before the others shows where this file's writer puts data.
  await zip.read(entries[0]!);
  return Promise.all(entries.map((entry) => zip.read(entry, { into: new Uint8Array(entry.size + 3) })));
}

describe("entries that are read in one microtask", () => {
  it("entries that are read in one microtask take few reads if the data has PyTorch's offsets", async () => {
    const source = await counting(await pytorchZip());
    const zip = (await ZipFile.open(source, true))!;
    expect(await readAll(zip)).toEqual(entries.map(({ data }) => data));
    expect(source.scattered.length).toBeLessThanOrEqual(2);
    await source.close!();
  });

  it.each<[string, TestZipOptions]>([
    ["another writer", {}],
    ["padding", { localExtra: 37 }],
    ["descriptors", { descriptors: true, localExtra: 5 }],
  ])("entries that are read in one microtask are right at other data offsets: %s", async (_, options) => {
    const source = await counting(buildZip(entries, options));
    const zip = (await ZipFile.open(source, false))!;
    expect(await readAll(zip)).toEqual(entries.map(({ data }) => data));
    await source.close!();
  });

  it("entries that are read in one microtask fail together", async () => {
    const source = await counting(await pytorchZip());
    const zip = (await ZipFile.open(source, false))!;
    const entries = [...zip.entries.values()];
    await zip.read(entries[0]!);
    await source.close!();
    const reads = entries.map((entry) => zip.read(entry, { into: new Uint8Array(entry.size) }));
    for (const read of await Promise.allSettled(reads)) {
      expect(read).toMatchObject({ status: "rejected", reason: { code: "format.closed" } });
    }
  });
});
