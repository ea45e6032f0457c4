import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DTYPES, type DType } from "@pt2/format";
import { afterAll, beforeAll, expect, it } from "vitest";
import type { NativeTensor, TensorLayout } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";

const floats = (tensor: NativeTensor): number[] => {
  const bytes = tensor.bytes();
  return [...new Float32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength / 4)];
};

const layout = (shape: number[], strides: number[], storageOffset = 0, dtype: DType = "float32"): TensorLayout => ({
  dtype,
  shape,
  strides,
  storageOffset,
});

describeWithLibtorch("native memory", ({ addon }) => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "pt2-native-"));
  });
  afterAll(() => rm(folder, { recursive: true }));

  const six = () => addon.storage(new Uint8Array(new Float32Array([1, 2, 3, 4, 5, 6]).buffer));

  it("views a storage with strides and an offset, row-major when read", async () => {
    const tensor = addon.tensor(six(), layout([2, 2], [1, 2], 1), "cpu");
    expect(tensor).toMatchObject({ dtype: "float32", shape: [2, 2], strides: [1, 2], device: "cpu" });
    expect(floats(tensor)).toEqual([2, 4, 3, 5]);
    expect(new Float32Array((await tensor.read()).buffer)).toEqual(new Float32Array([2, 4, 3, 5]));
  });

  it("knows every dtype", () => {
    const storage = addon.storage(new Uint8Array(32));
    for (const dtype of Object.keys(DTYPES) as DType[]) {
      const tensor = addon.tensor(storage, layout([2], [1], 0, dtype), "cpu");
      expect(tensor.dtype).toBe(dtype);
      expect(tensor.bytes().byteLength).toBe(2 * DTYPES[dtype].itemsize);
    }
  });

  it.each([
    ["behind the end", layout([2, 4], [4, 1])],
    ["behind the end by its offset", layout([6], [1], 1)],
    ["more than can be counted", layout([2 ** 40, 2 ** 40], [0, 0])],
    ["more than can be counted by strides", layout([2 ** 40, 2], [2 ** 40, 1])],
    ["an empty one far away", layout([0], [1], 2 ** 50)],
    ["negative strides", layout([2], [-1], 1)],
    ["too many dimensions", layout(Array(65).fill(1), Array(65).fill(1))],
  ])("refuses a view of %s", (_, beyond) => {
    expect(() => addon.tensor(six(), beyond, "cpu")).toThrow(expect.objectContaining({ code: "libtorch.argument" }));
  });

  it("shares one memory between tensors of a storage, and with the bytes of a contiguous one", () => {
    const storage = six();
    const bytes = addon.tensor(storage, layout([6], [1]), "cpu").bytes();
    new Float32Array(bytes.buffer)[0] = 10;
    expect(floats(addon.tensor(storage, layout([2], [1]), "cpu"))).toEqual([10, 2]);
  });

  it("maps a file whose pages are its own once written to", async () => {
    const path = join(folder, "weights");
    await writeFile(path, new Uint8Array(new Float32Array([1, 2, 3, 4, 5, 6, 7, 8]).buffer));
    const file = addon.mapFile(path);
    expect(file.size).toBe(32);
    const tensor = addon.tensor(file.storage(16, 16), layout([4], [1]), "cpu");
    expect(floats(tensor)).toEqual([5, 6, 7, 8]);
    new Float32Array(tensor.bytes().buffer)[0] = 0;
    expect(floats(addon.tensor(file.storage(16, 16), layout([4], [1]), "cpu"))).toEqual([0, 6, 7, 8]);
    expect(floats(addon.tensor(addon.mapFile(path).storage(0, 32), layout([8], [1]), "cpu"))[4]).toBe(5);
  });

  it("copies what begins where no element may", async () => {
    const path = join(folder, "unaligned");
    await writeFile(path, new Uint8Array([9, ...new Uint8Array(new Float32Array([1, 2]).buffer)]));
    expect(floats(addon.tensor(addon.mapFile(path).storage(1, 8), layout([2], [1]), "cpu"))).toEqual([1, 2]);
  });

  it("refuses files that cannot be mapped, and parts outside of them", async () => {
    const failure = expect.objectContaining({ code: "libtorch.file" });
    expect(() => addon.mapFile(folder)).toThrow(failure);
    expect(() => addon.mapFile(join(folder, "absent"))).toThrow(failure);
    await writeFile(join(folder, "empty"), "");
    const empty = addon.mapFile(join(folder, "empty"));
    expect(empty.storage(0, 0).byteLength).toBe(0);
    expect(() => empty.storage(0, 1)).toThrow(expect.objectContaining({ code: "libtorch.argument" }));
    expect(() => empty.storage(2 ** 53 - 1, 2 ** 53 - 1)).toThrow("inside the file");
  });

  it("gives memory back on dispose, once, and keeps bytes that were handed out", () => {
    const tensor = addon.tensor(six(), layout([6], [1]), "cpu");
    const bytes = tensor.bytes();
    tensor.dispose();
    tensor.dispose();
    expect(() => tensor.bytes()).toThrow(expect.objectContaining({ code: "libtorch.disposed" }));
    expect(new Float32Array(bytes.buffer)[5]).toBe(6);
  });

  it("hands the bytes of one tensor out several times, and copies of them to other threads", () => {
    const tensor = addon.tensor(six(), layout([6], [1]), "cpu");
    const buffer = tensor.bytes().buffer as ArrayBuffer;
    new Uint8Array(structuredClone(buffer)).fill(0);
    const transfer = (): ArrayBuffer => structuredClone(buffer, { transfer: [buffer] });
    // What Node does not transfer it copies until version 20, and refuses later.
    if (Number.parseInt(process.versions.node, 10) < 21) new Uint8Array(transfer()).fill(0);
    else expect(transfer).toThrow("Cannot transfer");
    expect(floats(tensor)).toEqual([1, 2, 3, 4, 5, 6]);
  });

  it("does not pile up memory in a loop that never lets the event loop turn", () => {
    const size = { kind: "list", items: [{ kind: "int", value: 4_000_000 }] } as const;
    const before = addon.memory().liveBytes;
    for (let i = 0; i < 60; i++) {
      const tensor = addon.callSync("aten::ones", [{ name: "size", value: size }])[0] as NativeTensor;
      tensor.bytes();
      tensor.dispose();
    }
    expect(addon.memory().liveBytes - before).toBeLessThan(300e6);
  });
});
