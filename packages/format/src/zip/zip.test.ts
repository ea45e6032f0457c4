import { deflateSync } from "fflate";
import { describe, expect, it } from "vitest";
import { fromBytes } from "../byte-source.ts";
import { buildZip, type TestEntry } from "./build-zip.test-helper.ts";
import { crc32 } from "./crc32.ts";
import { ZipFile } from "./zip-file.ts";
import { ZipWriter } from "./zip-writer.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function open(bytes: Uint8Array): Promise<ZipFile> {
  const zip = await ZipFile.open(fromBytes(bytes), true);
  if (zip === undefined) throw new Error("no zip");
  return zip;
}

async function read(bytes: Uint8Array, name: string): Promise<string> {
  const zip = await open(bytes);
  return new TextDecoder().decode(await zip.read(zip.entries.get(name)!));
}

describe("zip reader", () => {
  const entries: TestEntry[] = [
    { name: "a", data: text("first") },
    { name: "b/c", data: text("second ".repeat(100)) },
  ];

  it.each([
    ["plain", {}],
    ["data descriptors, no sizes in local headers", { descriptors: true }],
    ["local extra fields that the directory lacks", { localExtra: 37 }],
    ["a comment", { comment: "PK\x05\x06 in a comment" }],
    ["zip64 records and end", { zip64: true }],
  ])("the zip reader reads stored entries: %s", async (_, options) => {
    const bytes = buildZip(entries, options);
    expect(await read(bytes, "a")).toBe("first");
    expect(await read(bytes, "b/c")).toBe("second ".repeat(100));
  });

  it("the zip reader reads deflated entries", async () => {
    const plain = text("many words ".repeat(10_000));
    const bytes = buildZip([{ name: "d", data: deflateSync(plain), method: 8, size: plain.length, crc: crc32(plain) }]);
    expect(await read(bytes, "d")).toBe("many words ".repeat(10_000));
  });

  it("the zip reader reads stored entries of a source in memory without a copy", async () => {
    const bytes = buildZip(entries);
    const zip = await open(bytes);
    expect((await zip.read(zip.entries.get("a")!)).buffer).toBe(bytes.buffer);
  });

  it("the zip reader reads into memory that the caller passes", async () => {
    const zip = await open(buildZip(entries));
    const into = new Uint8Array(8);
    const bytes = await zip.read(zip.entries.get("a")!, { into });
    expect([bytes.buffer === into.buffer, new TextDecoder().decode(into.subarray(0, 5))]).toEqual([true, "first"]);
  });

  it.each<[string, string, () => Uint8Array]>([
    ["format.zip", "two entries of one name", () => buildZip([entries[0]!, entries[0]!])],
    ["format.overlap", "two entries in one place", () => buildZip(entries, { sameOffset: true })],
    ["format.zip-unsupported", "encryption", () => buildZip([{ ...entries[0]!, flags: 1 }])],
    ["format.zip-unsupported", "an unknown method", () => buildZip([{ ...entries[0]!, method: 14 }])],
    ["format.zip", "a stored entry of two sizes", () => buildZip([{ ...entries[0]!, size: 6 }])],
    ["format.checksum", "a wrong checksum", () => buildZip([{ ...entries[0]!, crc: 1 }])],
    ["format.limit", "a bomb by ratio", () => bomb(2 ** 31)],
    ["format.zip", "a bomb that hides its size", () => bomb(10)],
    ["format.zip", "deflated rubbish", () => buildZip([{ name: "a", data: text("rubbish!"), method: 8, size: 100 }])],
  ])("the zip reader rejects with %s: %s", async (code, _, build) => {
    await expect(read(build(), "a")).rejects.toMatchObject({ code });
  });

  it("the zip reader treats a checksum of 0 as none, because PyTorch can skip checksums", async () => {
    expect(await read(buildZip([{ ...entries[0]!, crc: 0 }]), "a")).toBe("first");
  });

  it("the zip reader compares the checksum of an entry that is read in pieces after the last piece", async () => {
    const damaged = (await ZipFile.open(fromBytes(buildZip([{ ...entries[0]!, crc: 1 }])), true))!;
    const source = await damaged.slice(damaged.entries.get("a")!);
    await source.read(0, 2);
    await expect(source.read(2, source.size - 2)).rejects.toMatchObject({ code: "format.checksum" });
    const whole = (await ZipFile.open(fromBytes(buildZip([entries[0]!])), true))!;
    const parts = await whole.slice(whole.entries.get("a")!);
    await parts.read(0, 2);
    expect(await parts.read(2, parts.size - 2)).toEqual(entries[0]!.data.slice(2));
  });

  it("the zip reader rejects a source that is not a zip", async () => {
    expect(await ZipFile.open(fromBytes(text("not a zip at all")), false)).toBeUndefined();
    expect(await ZipFile.open(fromBytes(new Uint8Array(0)), false)).toBeUndefined();
  });
});

/** 64 MiB of zeros in 64 KiB, under a declared size. */
function bomb(size: number): Uint8Array {
  return buildZip([{ name: "a", data: deflateSync(new Uint8Array(2 ** 26)), method: 8, size }]);
}

describe("zip writer", () => {
  it("the zip writer aligns data to 64 bytes, and the zip reader reads it back", async () => {
    const chunks: Uint8Array[] = [];
    const writer = new ZipWriter((chunk) => void chunks.push(chunk));
    const contents = ["", "x", "y".repeat(200), "ü"].map(text);
    for (const [index, content] of contents.entries()) await writer.add(`root/entry ${index} é`, content);
    const size = await writer.finish();
    const bytes = new Uint8Array(Buffer.concat(chunks));
    expect(bytes.length).toBe(size);
    const zip = await open(bytes);
    for (const [index, content] of contents.entries()) {
      const read = await zip.read(zip.entries.get(`root/entry ${index} é`)!);
      expect(read).toEqual(content);
      expect(read.byteOffset % 64).toBe(0);
    }
  });
});

it("crc32 has the value of its specification", () => {
  expect(crc32(text("123456789"))).toBe(0xcbf43926);
  expect(crc32(text("6789"), crc32(text("12345")))).toBe(0xcbf43926);
});

it("entries are verified with the source's CRC-32 function, also in pieces", async () => {
  const bytes = buildZip([{ name: "d", data: text("stored"), method: 0, size: 6, crc: crc32(text("stored")) }]);
  const calls: number[] = [];
  const counting = (part: Uint8Array, crc?: number): number => {
    calls.push(part.byteLength);
    return crc32(part, crc);
  };
  const zip = (await ZipFile.open({ ...fromBytes(bytes), crc32: counting }, true))!;
  const entry = zip.entries.get("d")!;
  expect(await zip.read(entry)).toEqual(text("stored"));
  const part = await zip.slice(entry);
  await part.read(0, 2);
  await part.read(2, 4);
  expect(calls).toEqual([6, 2, 4]);
});
