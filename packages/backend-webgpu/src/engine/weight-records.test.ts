import type { ByteSource, WeightTensor } from "@pt2/format";
import { expect, test } from "vitest";
import type { Device } from "./device.ts";
import { Memory } from "./memory.ts";
import { WeightRecords } from "./weight-records.ts";

const GB = 2 ** 30;
/** The most bytes that are ever read at once. */
const MOST = 16 * 2 ** 20;

/** A file in which every read begins with its own offset. */
const file: ByteSource & { readonly lengths: number[] } = {
  size: 7 * GB,
  lengths: [],
  async read(offset, length) {
    this.lengths.push(length);
    const bytes = new Uint8Array(length);
    new DataView(bytes.buffer).setFloat64(0, offset);
    return bytes;
  },
};

/** Makes a device that only records writes: for each write the offset that its bytes begin with. */
function pretendedDevice(): { readonly device: Device; readonly writes: Map<string, [at: number, from: number][]> } {
  const writes = new Map<string, [at: number, from: number][]>();
  const gpu = {
    limits: { maxBufferSize: 4 * GB },
    createBuffer: ({ label, size }: GPUBufferDescriptor) => ({ label, size, destroy: () => {} }),
    pushErrorScope: () => {},
    popErrorScope: async () => null,
    queue: {
      writeBuffer({ label }: GPUBuffer, at: number, bytes: Uint8Array) {
        const from = new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0);
        writes.set(label, [...(writes.get(label) ?? []), [at, from]]);
      },
    },
  } as unknown as GPUDevice;
  return { device: { gpu, adapter: { f16: false } } as Device, writes };
}

/** Makes a weight at an offset of the file. */
function weightAt(name: string, offset: number, nbytes: number): WeightTensor {
  const part: ByteSource = { size: nbytes, read: (at, length) => file.read(offset + at, length) };
  const read: WeightTensor["storage"]["read"] = (options) => part.read(0, nbytes, options);
  const storage = { id: name, entry: name, nbytes, read, open: async () => part };
  const count = nbytes / 4;
  const view = { dtype: "float32", shape: [count], strides: [1], storageOffset: 0 } as const;
  return { name, kind: "parameter", ...view, storage, requiresGrad: false, device: { type: "cpu", index: null } };
}

test("a file larger than 4 GB streams through a window", async () => {
  const { device, writes } = pretendedDevice();
  let read = 0;
  const records = new WeightRecords(device, new Memory(device.gpu), (bytes) => {
    read += bytes;
  });
  const weights = [
    weightAt("first", 1024, 2 * GB),
    weightAt("small", 2.5 * GB, 4096),
    weightAt("across", 3 * GB, 3 * GB),
    weightAt("behind", 6.5 * GB, 64 * 2 ** 20),
  ];
  const constants = weights.map((weight) => records.of(weight));
  records.expect(constants);
  for (const constant of constants) {
    await constant.load();
    constant.unload();
  }
  expect(read).toBe(5 * GB + 4096 + 64 * 2 ** 20);
  expect(Math.max(...file.lengths)).toBeLessThanOrEqual(MOST);
  for (const { name, storage } of weights) {
    const start = { first: 1024, small: 2.5 * GB, across: 3 * GB, behind: 6.5 * GB }[name]!;
    const parts = writes.get(name)!;
    expect(parts).toHaveLength(Math.ceil(storage.nbytes / MOST));
    for (const [i, part] of parts.entries()) expect(part).toEqual([i * MOST, start + i * MOST]);
  }
});
