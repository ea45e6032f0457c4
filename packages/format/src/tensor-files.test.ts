import { deflateSync } from "fflate";
import { describe, expect, it } from "vitest";
import { fromBytes } from "./byte-source.ts";
import { DTYPES, type DType } from "./dtype.ts";
import { fixture } from "./fixtures.test-helper.ts";
import { readNpz } from "./npz.ts";
import { readSafetensors, writeSafetensors } from "./safetensors.ts";
import type { TensorData, Tensors } from "./tensor-data.ts";
import { buildZip } from "./zip/build-zip.test-helper.ts";
import { crc32 } from "./zip/crc32.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

async function write(tensors: Tensors, metadata?: ReadonlyMap<string, string>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  await writeSafetensors(tensors, (chunk) => void chunks.push(chunk), metadata);
  return new Uint8Array(Buffer.concat(chunks));
}

describe("safetensors", () => {
  it("the safetensors reader reads a file that Python wrote", async () => {
    const { tensors } = await readSafetensors(fromBytes(fixture("torch-2.13/mlp.inputs.safetensors")));
    for (const { dtype, shape, bytes } of tensors.values()) {
      expect(bytes.length).toBe(shape.reduce((a, b) => a * b, DTYPES[dtype].itemsize));
    }
    expect(tensors.size).toBeGreaterThan(0);
  });

  it("a safetensors file keeps every dtype, empty tensors, scalars and metadata", async () => {
    const dtypes = (Object.keys(DTYPES) as DType[]).filter((dtype) => DTYPES[dtype].safetensors !== null);
    const tensors: Tensors = new Map<string, TensorData>([
      ...dtypes.map((dtype) => {
        const bytes = Uint8Array.from({ length: 3 * DTYPES[dtype].itemsize }, (_, index) => index);
        return [dtype, { dtype, shape: [3, 1], bytes }] as const;
      }),
      ["empty", { dtype: "float32", shape: [0, 4], bytes: new Uint8Array(0) }],
      ["scalar", { dtype: "int8", shape: [], bytes: Uint8Array.of(7) }],
    ]);
    const back = await readSafetensors(fromBytes(await write(tensors, new Map([["k", "v"]]))));
    expect(back.tensors).toEqual(tensors);
    expect(back.metadata).toEqual(new Map([["k", "v"]]));
  });

  const file = (header: string, data = 0): Uint8Array => {
    const bytes = new Uint8Array(8 + header.length + data);
    new DataView(bytes.buffer).setBigUint64(0, BigInt(header.length), true);
    bytes.set(text(header), 8);
    return bytes;
  };

  it.each<[string, string, Uint8Array]>([
    ["format.safetensors", "nothing", new Uint8Array(3)],
    ["format.safetensors", "no header", Uint8Array.of(99, 0, 0, 0, 0, 0, 0, 0)],
    ["format.safetensors", "a header beyond the end", Uint8Array.of(99, 0, 0, 0, 0, 0, 0, 0, ...text("{}"))],
    ["format.safetensors", "a zip archive", fixture("torch-2.13/mlp.pt2")],
    ["format.limit", "a header of exabytes", Uint8Array.of(...new Array(8).fill(0xff), ...text("{}"))],
    ["format.json", "no JSON", file("{")],
    ["format.safetensors", "an unknown dtype", file('{"a":{"dtype":"F1","shape":[1],"data_offsets":[0,1]}}', 1)],
    ["format.safetensors", "a wrong size", file('{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,1]}}', 1)],
    ["format.safetensors", "data beyond the end", file('{"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}}', 1)],
    ["format.safetensors", "a gap", file('{"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}}', 2)],
    ["format.safetensors", "bytes behind", file("{}", 1)],
    [
      "format.safetensors",
      "a huge shape",
      file('{"a":{"dtype":"U8","shape":[9007199254740991,9007199254740991],"data_offsets":[0,1]}}', 1),
    ],
  ])("the safetensors reader rejects with %s: %s", async (code, _, bytes) => {
    await expect(readSafetensors(fromBytes(bytes))).rejects.toMatchObject({ code });
  });

  it("the safetensors writer rejects tensors that the format cannot store", async () => {
    const bytes = new Uint8Array(4);
    await expect(write(new Map([["a", { dtype: "complex32", shape: [1], bytes }]]))).rejects.toMatchObject({
      code: "format.write",
    });
    await expect(write(new Map([["a", { dtype: "int32", shape: [2], bytes }]]))).rejects.toMatchObject({
      code: "format.write",
    });
    await expect(write(new Map([["__metadata__", { dtype: "int32", shape: [1], bytes }]]))).rejects.toMatchObject({
      code: "format.write",
      advice: "rename the tensor",
    });
  });
});

describe("npz", () => {
  const npy = (descr: string, order: string, shape: string, data: readonly number[]): Uint8Array => {
    const dict = `{'descr': '${descr}', 'fortran_order': ${order}, 'shape': ${shape}, }`;
    const header = `${dict.padEnd(117)}\n`;
    return Uint8Array.of(0x93, ...text("NUMPY"), 1, 0, header.length, 0, ...text(header), ...data);
  };

  it("the npz reader reads stored and deflated arrays in both orders", async () => {
    const rows = npy("|u1", "False", "(2, 3)", [1, 2, 3, 4, 5, 6]);
    const columns = npy("|u1", "True", "(2, 3)", [1, 4, 2, 5, 3, 6]);
    const tensors = await readNpz(
      fromBytes(
        buildZip([
          { name: "a.npy", data: rows },
          { name: "b.npy", data: deflateSync(columns), method: 8, size: columns.length, crc: crc32(columns) },
        ]),
      ),
    );
    const expected = { dtype: "uint8", shape: [2, 3], bytes: Uint8Array.of(1, 2, 3, 4, 5, 6) };
    expect([...tensors]).toMatchObject([
      ["a", expected],
      ["b", expected],
    ]);
  });

  it("the npz reader reads a single array and scalars", async () => {
    const tensors = await readNpz(fromBytes(npy("<i2", "False", "()", [1, 0])));
    expect([...tensors]).toMatchObject([["0", { dtype: "int16", shape: [], bytes: Uint8Array.of(1, 0) }]]);
  });

  it.each([
    ["big-endian", npy(">i2", "False", "(1,)", [0, 1])],
    ["objects", npy("|O", "False", "(1,)", [0, 1])],
    ["a wrong length", npy("|u1", "False", "(3,)", [0, 1])],
    ["no zip", text("hello")],
    ["a zip without arrays", buildZip([{ name: "a.txt", data: text("hello") }])],
  ])("the npz reader rejects %s", async (_, bytes) => {
    await expect(readNpz(fromBytes(bytes))).rejects.toMatchObject({ code: "format.npz" });
  });
});
