import { expect, test } from "vitest";
import { sparseZip } from "./sparse-zip.test-helper.ts";
import { ZipFile } from "./zip-file.ts";

const GB = 2 ** 30;
const mark = Uint8Array.of(1, 2, 3, 4);

test("entries after and across 4 GB are read correctly", async () => {
  const source = sparseZip([
    { name: "a/small", size: 10, marks: [{ at: 3, bytes: mark }] },
    { name: "a/huge", size: 5 * GB, marks: [4 * GB - 2, 5 * GB - 4].map((at) => ({ at, bytes: mark })) },
    { name: "a/late", size: 2 * GB, marks: [{ at: 0, bytes: mark }] },
    { name: "a/last", size: 8, marks: [{ at: 4, bytes: mark }] },
  ]);
  expect(source.size).toBeGreaterThan(7 * GB);
  const zip = (await ZipFile.open(source, false))!;
  const entry = (name: string) => zip.entries.get(name)!;
  expect([...(await zip.read(entry("a/small")))]).toEqual([0, 0, 0, 1, 2, 3, 4, 0, 0, 0]);
  expect([...(await zip.read(entry("a/last")))]).toEqual([0, 0, 0, 0, 1, 2, 3, 4]);
  const huge = await zip.slice(entry("a/huge"));
  expect(huge.size).toBe(5 * GB);
  expect([...(await huge.read(4 * GB - 3, 6))]).toEqual([0, 1, 2, 3, 4, 0]);
  expect([...(await huge.read(5 * GB - 5, 5))]).toEqual([0, 1, 2, 3, 4]);
  const late = await zip.slice(entry("a/late"));
  expect([...(await late.read(0, 4))]).toEqual([1, 2, 3, 4]);
  // Most of it was never read.
  expect(Math.max(...source.reads)).toBeLessThan(2 ** 20);
});
