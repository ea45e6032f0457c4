import { pathToFileURL } from "node:url";
import { describe, expect, it } from "vitest";
import { countingSource, fixtureBytes, fixturePath } from "./fixtures.test-helper.ts";
import { describeType, openProgram, readSchema, readWeights, tensor } from "./node.ts";

describe("readSchema", () => {
  it("readSchema describes a program", async () => {
    const { inputs, outputs, program: _, ...rest } = await readSchema(fixturePath("torch-2.13/dynamic.pt2"));
    expect(inputs.map(({ name, type }) => `${name}: ${describeType(type)}`)).toEqual(["ids: int64 [s23, s27]"]);
    expect(outputs.map(({ name, type }) => `${name}: ${describeType(type)}`)).toEqual([
      "output[0]: float32 [s23, 8*s27]",
      "output[1]: float32 [s27 + 1, 2]",
      "output[2]: float32 [s23, 4]",
    ]);
    expect(rest).toEqual({
      generation: "current",
      models: ["model"],
      torchVersion: "2.13.0+cpu",
      schemaVersion: { major: 8, minor: 20 },
      dialect: "TRAINING",
    });
  });

  it("readSchema names constants and leaves of structures", async () => {
    const scalars = await readSchema(fixturePath("programs/scalars.pt2"));
    expect(scalars.inputs.map(({ name, type }) => `${name}: ${describeType(type)}`)).toEqual([
      "x: float32 [2, 3]",
      "n: the constant 3",
      "scale: the constant 0.5",
      "flag: the constant True",
      'mode: the constant "b"',
    ]);
    const trees = await readSchema(fixturePath("torch-2.6/trees.pt2"));
    expect(trees.outputs.map(({ name }) => name)).toContain("output.list[1][0]");
  });

  it("readSchema reads no weights and closes the source", async () => {
    const bytes = await fixtureBytes("torch-2.13/mlp.pt2");
    const source = countingSource(bytes);
    await readSchema(source);
    expect(source.closed()).toBe(1);
  });
});

it("a path may be written as an address, and options that do not exist are refused", async () => {
  const path = fixturePath("torch-2.13/mlp.pt2");
  for (const source of [pathToFileURL(path), pathToFileURL(path).href]) {
    expect((await readSchema(source)).models).toEqual(["model"]);
  }
  const wrong = { modle: "model" } as object;
  const refused = { code: "backend.options", what: expect.stringContaining("modle") };
  await expect(readSchema(path, wrong)).rejects.toMatchObject(refused);
  await expect(openProgram(path, wrong)).rejects.toMatchObject(refused);
  await expect(readWeights(path, wrong).next()).rejects.toMatchObject(refused);
});

describe("readWeights", () => {
  it("readWeights reads tensors one by one", async () => {
    const found: string[] = [];
    for await (const [name, { dtype, shape, data }] of readWeights(fixturePath("torch-2.13/strides.pt2"))) {
      found.push(`${name} ${dtype} [${shape.join(", ")}] ${data.constructor.name}`);
    }
    expect(found).toContain("trans float32 [7, 5] Float32Array");
    expect(found).toContain("ids int64 [3] BigInt64Array");
    expect(found).toContain("bf bfloat16 [5] Float32Array");
  });

  it("readWeights closes the source if the loop ends early", async () => {
    const source = countingSource(await fixtureBytes("torch-2.13/mlp.pt2"));
    for await (const _ of readWeights(source)) break;
    expect(source.closed()).toBe(1);
  });
});

describe("tensor", () => {
  it.each([
    ["float32", [1, 2.5], Float32Array.of(1, 2.5)],
    ["int64", [1, 2n ** 62n], BigInt64Array.of(1n, 2n ** 62n)],
    ["uint8", [0, 255], Uint8Array.of(0, 255)],
    ["bool", [true, 0], Uint8Array.of(1, 0)],
  ] as const)("%s, converted or as it is", (dtype, elements, data) => {
    expect(tensor(dtype, [2], elements).data).toEqual(data);
    expect(tensor(dtype, [2], data).data).toBe(data);
  });

  it.each([
    ["float16", [1, -2], Uint16Array.of(0x3c00, 0xc000)],
    ["bfloat16", [1, -2], Uint16Array.of(0x3f80, 0xc000)],
  ] as const)("%s, converted from numbers or taken as bits, is numbers", (dtype, elements, bits) => {
    for (const data of [elements, bits, Float32Array.from(elements)]) {
      const made = tensor(dtype, [2], data);
      expect(made.data).toEqual(Float32Array.from(elements));
      expect(made.bytes).toEqual(new Uint8Array(bits.buffer));
    }
  });

  it.each([
    ["uint8", [256, 0], "256 is not a valid uint8 value"],
    ["int32", [0.5, 0], "0.5 is not a valid int32 value"],
    ["int64", [2 ** 60, 0], "beyond 2^53 pass a bigint"],
    ["complex64", [1, 0], "pass pairs"],
    ["float32", [1, 2, 3], "needs a Float32Array of 2 elements"],
  ] as const)("rejects %s of %j", (dtype, elements, message) => {
    expect(() => tensor(dtype, [2], elements)).toThrow(message);
  });
});
