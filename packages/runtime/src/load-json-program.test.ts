import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { wasm } from "@pt2/backend-wasm/node";
import { fromBytes, openArchive, readTensor, type TensorData, writeSafetensors } from "@pt2/format";
import { importProgram, type Json, toJson } from "@pt2/graph";
import { describe, expect, it } from "vitest";
import { fixtureBytes, fixturePath, fixtureTensors, loadFixture } from "./fixtures.test-helper.ts";
import { load as loadInPage } from "./load.ts";
import { load, type Model, type Tensor, type Value } from "./node.ts";

interface Parts {
  readonly document: Record<string, Json>;
  readonly tensors: Map<string, TensorData>;
}

async function partsOf(name: string): Promise<Parts> {
  const archive = await openArchive(fromBytes(await fixtureBytes(`${name}.pt2`)));
  const tensors = new Map<string, TensorData>();
  for (const [weight, stored] of await archive.weights()) tensors.set(weight, await readTensor(stored));
  return { document: toJson(importProgram(await archive.program())) as Record<string, Json>, tensors };
}

/** Writes both files and loads them. */
async function loadJsonProgram({ document, tensors }: Parts, text = JSON.stringify(document)): Promise<Model> {
  const folder = mkdtempSync(join(tmpdir(), "pt2-parts-"));
  const chunks: Uint8Array[] = [];
  await writeSafetensors(tensors, async (chunk) => void chunks.push(chunk));
  writeFileSync(join(folder, "model.json"), text);
  writeFileSync(join(folder, "model.safetensors"), Buffer.concat(chunks));
  const backend = wasm({ worker: false });
  return await load(join(folder, "model.json"), { backend, weights: join(folder, "model.safetensors") });
}

async function elements(values: readonly Value[]): Promise<readonly unknown[]> {
  return await Promise.all(
    values.map(async (value) => (typeof value === "object" ? await (value as Tensor)?.read() : value)),
  );
}

describe("a program as JSON with separate weights", () => {
  it.each(
    ["mlp", "trees", "dynamic", "conv", "buffers", "consts", "cond", "strides"].map((name) => `torch-2.13/${name}`),
  )("a program as JSON with weights of safetensors gives the results of %s.pt2", async (name) => {
    await using whole = await loadFixture(name);
    await using parts = await loadJsonProgram(await partsOf(name));
    const inputs = await fixtureTensors(name, "inputs").catch(() => []);
    const leaves = inputs.slice(0, whole.inputs.length);
    if (leaves.length < whole.inputs.length) throw new Error(`${fixturePath(name)} has too few inputs`);
    expect(await elements(await parts.runFlat(leaves))).toEqual(await elements(await whole.runFlat(leaves)));
  });

  it("parts that do not fit are refused with a code", async () => {
    const parts = await partsOf("torch-2.13/mlp");
    const [[first, weight] = ["", undefined]] = parts.tensors;
    const with_ = (tensor: TensorData | undefined) => {
      const tensors = new Map(parts.tensors);
      if (tensor === undefined) tensors.delete(first);
      else tensors.set(first, tensor);
      return loadJsonProgram({ ...parts, tensors });
    };
    const bytes = weight!.bytes;
    await expect(with_(undefined)).rejects.toMatchObject({ code: "runtime.weights", details: { weight: first } });
    const flat = { ...weight!, shape: [weight!.shape.reduce((a, b) => a * b, 1)] };
    await expect(with_(flat)).rejects.toMatchObject({ code: "runtime.weights" });
    await expect(with_({ ...weight!, dtype: "int32", bytes })).rejects.toThrow(/is int32 \[.*expects float32/);
    await expect(loadJsonProgram(parts, "PK")).rejects.toMatchObject({ code: "runtime.program-json" });
    await expect(loadJsonProgram(parts, "{}")).rejects.toMatchObject({ code: "graph.json" });
    await expect(loadJsonProgram({ ...parts, document: { ...parts.document, irVersion: 2 } })).rejects.toMatchObject({
      code: "graph.json",
    });
  });

  it("load of @pt2/runtime refuses separate weights, which are an option in Node", async () => {
    const options = { backend: wasm({ worker: false }), weights: "model.safetensors" };
    await expect(loadInPage(await fixtureBytes("torch-2.13/mlp.pt2"), options)).rejects.toMatchObject({
      code: "runtime.options",
      advice: expect.stringContaining("@pt2/runtime/node"),
    });
  });
});
