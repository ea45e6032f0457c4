import { describe, expect, it } from "vitest";
import { fromBytes } from "./byte-source.ts";
import { absentWeights } from "./entry-storage.ts";
import { fixture, fixtureNames } from "./fixtures.test-helper.ts";
import { openArchive } from "./open-archive.ts";
import { readTensor } from "./tensor-data.ts";
import { archiveToBytes } from "./write-archive.ts";
import { crc32 } from "./zip/crc32.ts";

const open = (name: string) => openArchive(fromBytes(fixture(name)), { verifyChecksums: true });

const GENERATION: Readonly<Record<string, string>> = { "torch-2.6": "flat", "torch-2.8": "pickled" };

describe("an archive opens with its program and weights", () => {
  it.each(fixtureNames())("an archive opens with its program and weights: %s", async (name) => {
    const release = name.split("/")[0]!;
    const archive = await open(name);
    expect(archive.generation).toBe(GENERATION[release] ?? "current");
    expect(archive.models).toEqual(["model"]);

    const program = await archive.program();
    expect(program.schemaVersion.major).toBe(8);
    expect(program.torchVersion).toContain(release.slice("torch-".length));
    expect(program.dialect).toBe(name.includes("_aten") ? "ATEN" : "TRAINING");

    const weights = await archive.weights();
    for (const spec of program.graphModule.inputSpecs) {
      if (spec.kind === "parameter") expect(weights.get(spec.parameterName)?.kind).toBe("parameter");
      if (spec.kind === "buffer") expect(weights.get(spec.bufferName)?.kind).toBe("buffer");
      if (spec.kind === "tensor_constant") expect(weights.get(spec.tensorConstantName)?.kind).toBe("constant");
    }
    for (const tensor of weights.values()) await readTensor(tensor);
    expect(absentWeights(weights)).toEqual([]);

    const samples = await archive.sampleInputs();
    expect(samples === undefined ? 0 : samples.args.length + samples.kwargs.length).toBeGreaterThan(0);
  });
});

describe("weights of an archive", () => {
  it.each(["torch-2.6", "torch-2.8", "torch-2.13"])("are views that share storages in files of %s", async (release) => {
    const weights = await (await open(`${release}/strides.pt2`)).weights();
    const slice = weights.get("slice")!;
    expect(slice).toMatchObject({ dtype: "float32", shape: [5], strides: [1], storageOffset: 90 });
    expect(slice.storage.nbytes).toBe(400);
    expect(weights.get("trans")).toMatchObject({ shape: [7, 5], strides: [1, 7] });
    expect(weights.get("exp")).toMatchObject({ strides: [0, 1], storage: { nbytes: 12 } });
    expect(weights.get("tied2.weight")!.storage).toBe(weights.get("tied.weight")!.storage);
  });

  it("weights of an archive are the same numbers in all generations", async () => {
    const bytes = await Promise.all(
      ["torch-2.6", "torch-2.8", "torch-2.13"].map(async (release) => {
        const weights = await (await open(`${release}/strides.pt2`)).weights();
        return readTensor(weights.get("ids")!);
      }),
    );
    expect(bytes[1]).toEqual(bytes[0]);
    expect(bytes[2]).toEqual(bytes[0]);
  });

  it("weights of an archive are aligned views of the file's memory in the current generation", async () => {
    const file = fixture("torch-2.13/mlp.pt2");
    const weights = await (await openArchive(fromBytes(file))).weights();
    for (const { storage } of weights.values()) {
      const bytes = await storage.read();
      expect(bytes.buffer).toBe(file.buffer);
      expect(bytes.byteOffset % 64).toBe(0);
    }
  });

  it("weights of an archive are read into memory that the caller passes", async () => {
    const weights = await (await open("torch-2.8/mlp.pt2")).weights();
    const { storage } = [...weights.values()][0]!;
    const into = new Uint8Array(storage.nbytes + 16);
    const bytes = await storage.read({ into });
    expect(bytes.buffer).toBe(into.buffer);
    expect(bytes).toEqual((await storage.read()).slice());
  });

  it("a storage says which CRC-32 the archive states for its bytes", async () => {
    const weights = await (await open("torch-2.13/mlp.pt2")).weights();
    for (const { storage } of weights.values()) expect(storage.crc32).toBe(crc32(await storage.read()));
  });

  it("the weights of an archive can be absent", async () => {
    const archive = await open("torch-2.13/mlp.pt2");
    const storage = { id: "none", entry: "none", nbytes: 0, read: async () => new Uint8Array(0) };
    const stripped = [...(await archive.weights())].map(([name, tensor]) => [name, { ...tensor, storage }] as const);
    const model = { program: await archive.program(), weights: new Map(stripped) };
    const weights = await (await openArchive(fromBytes(await archiveToBytes({ models: [model] })))).weights();
    expect(absentWeights(weights)).toEqual([...weights.keys()]);
    await expect(readTensor([...weights.values()][0]!)).rejects.toMatchObject({ code: "format.weights" });
  });
});

describe("programs of an archive", () => {
  it("programs of an archive have exact integers, symbols and module frames", async () => {
    const { graphModule, rangeConstraints } = await (await open("torch-2.13/dynamic.pt2")).program();
    expect([...rangeConstraints.values()].length).toBeGreaterThan(0);
    const symbolic = [...graphModule.graph.tensorValues.values()].flatMap(({ sizes }) => sizes);
    expect(symbolic.some((size) => size.kind === "as_expr" && size.exprStr.includes("Symbol("))).toBe(true);
    const frames = graphModule.graph.nodes.flatMap(({ metadata }) => metadata.nnModuleStack);
    expect(frames.some(({ key, path }) => key === "L__self__" && path === "")).toBe(true);
    expect(frames.every(({ key }) => key.startsWith("L__self__"))).toBe(true);
  });

  it("programs of an archive have pytrees", async () => {
    const { graphModule } = await (await open("torch-2.13/trees.pt2")).program();
    const { signature } = graphModule.moduleCallGraph[0]!;
    expect(signature!.forwardArgNames).toEqual(["pair", "named"]);
    const leaf = { type: null, context: null, children: [] };
    expect(signature!.inSpec.children[1]).toEqual({ type: "builtins.dict", context: ["named"], children: [leaf] });
  });

  it("programs of an archive are parsed once", async () => {
    const archive = await open("torch-2.13/mlp.pt2");
    expect(await archive.program()).toBe(await archive.program("model"));
  });
});

describe("several models of an archive", () => {
  const archive = async () => {
    const one = await open("torch-2.13/mlp.pt2");
    const two = await open("torch-2.8/buffers.pt2");
    const model = async (name: string, from: typeof one) => ({
      name,
      program: await from.program(),
      weights: await from.weights(),
    });
    const models = [await model("enc", one), await model("dec", two)];
    return openArchive(fromBytes(await archiveToBytes({ models, extraFiles: new Map([["notes/a.txt", "ü"]]) })));
  };

  it("several models of an archive are chosen by name", async () => {
    const both = await archive();
    expect(both.models).toEqual(["enc", "dec"]);
    expect((await both.weights("enc")).size).toBe((await (await open("torch-2.13/mlp.pt2")).weights()).size);
    expect(await both.sampleInputs("dec")).toBeUndefined();
    await expect(both.program()).rejects.toMatchObject({
      code: "format.choose-model",
      details: { models: both.models },
    });
    await expect(both.program("x")).rejects.toMatchObject({
      code: "format.no-model",
      advice: 'pass one of these names: "enc", "dec"',
    });
  });

  it("models of an archive come with extra files", async () => {
    const both = await archive();
    expect(both.extraFiles).toEqual(["notes/a.txt"]);
    expect(await both.readExtraFile("notes/a.txt")).toBe("ü");
    await expect(both.readEntry("nope")).rejects.toMatchObject({ code: "format.no-record" });
  });
});

it("a value that is not a source is refused with advice on how to open one", async () => {
  for (const source of ["model.pt2", new Uint8Array(3), undefined]) {
    const refused = openArchive(source as never);
    await expect(refused).rejects.toMatchObject({ code: "format.io", advice: expect.stringContaining("fromFile") });
  }
});
