import { wasm } from "@pt2/backend-wasm/node";
import {
  archiveToBytes,
  fromBytes,
  openArchive,
  type Pt2Error,
  readTensor,
  type TensorData,
  writeSafetensors,
} from "@pt2/format";
import { importProgram, toJson } from "@pt2/graph";
import { defineOp, OpLibrary } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";
import { load, type Tensor, tensor } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { editFixture } from "./edit-fixture.ts";
import { loadFixture } from "./fixture.ts";

const SCHEMA = "mine::bend(Tensor self) -> Tensor";
const bend = defineOp(SCHEMA, { scalar: (x) => s.mul(x, 2) });
const straight = defineOp(SCHEMA, { scalar: (x) => x });
const x = tensor(
  "float32",
  [5, 7],
  Float32Array.from({ length: 35 }, (_, i) => i / 7),
);
/** A program that calls `mine::bend`. */
const bytes = await editFixture("torch-2.13/mlp", "torch.ops.aten.relu.default", "torch.ops.mine.bend.default");
const backend = wasm({ worker: false });

async function results(library: OpLibrary): Promise<readonly number[]> {
  await using model = await load(bytes, { backend, library });
  return [...((await (await model.forward<Tensor>(x)).read()) as Float32Array)];
}

/** The archive with a list of its custom ops. */
async function withList(text: string): Promise<Uint8Array> {
  const archive = await openArchive(fromBytes(bytes));
  const models = [{ program: await archive.program(), weights: await archive.weights() }];
  return await archiveToBytes({ models, extraFiles: new Map([["custom_ops.json", text]]) });
}

const list = (schema = SCHEMA, version: string | null = "1.2.0"): string =>
  JSON.stringify({ "mine::bend": { schema, package: "bend-ops", version } });

async function problemOf(loaded: Promise<unknown>): Promise<Pt2Error> {
  return await loaded.then(
    () => Promise.reject(new Error("it loads")),
    (problem: Pt2Error) => problem,
  );
}

describe("load with a library", () => {
  it("uses what the library has at that time", async () => {
    const library = new OpLibrary();
    await expect(results(library)).rejects.toMatchObject({ code: "runtime.unsupported-ops" });
    const registration = library.register(straight);
    const before = await results(library);
    registration.dispose();
    library.register({ name: "bend-ops", ops: [bend] });
    const after = await results(library);
    expect(after).not.toEqual(before);
    const child = library.child();
    child.register(straight);
    expect(await results(child)).toEqual(before);
    expect(await results(library)).toEqual(after);
    library.registerConversion("mine::*", ({ self }) => self as never);
    expect(await results(library)).toEqual(before);
  });

  it("a model keeps what it was loaded with", async () => {
    const library = new OpLibrary();
    library.register(bend);
    await using model = await load(bytes, { backend, library });
    const before = [...((await (await model.forward<Tensor>(x)).read()) as Float32Array)];
    library.unregister("mine::bend");
    const y = await model.forward<Tensor>(tensor("float32", [5, 7], new Float32Array(35)));
    expect(y.shape).toEqual([5, 3]);
    expect([...((await (await model.forward<Tensor>(x)).read()) as Float32Array)]).toEqual(before);
  });

  it("takes a module with `ops` and `handlers`, and refuses other values", async () => {
    await using model = await load(bytes, { backend, library: { ops: [{ name: "mine", ops: [bend] }] } });
    expect(model.inputs).toHaveLength(1);
    for (const library of [3, { ops: bend }, null]) {
      await expect(load(bytes, { backend, library: library as never })).rejects.toMatchObject({
        code: "runtime.options",
      });
    }
  });
});

describe("a program that names the packages of its ops", () => {
  it("is refused with the packages that it needs", async () => {
    const { advice, code, details, message } = await problemOf(load(await withList(list()), { backend }));
    expect(code).toBe("runtime.unsupported-ops");
    expect(advice).toContain(
      "`npm install bend-ops@1.2.0` and give its op set to load() as `ops`: the file names it for these ops; or pass",
    );
    expect(details).toMatchObject({ packages: ["bend-ops@1.2.0"] });
    expect(message).toContain("mine::bend ×1: no op set has it");
  });

  it("as JSON is refused in the same way", async () => {
    const archive = await openArchive(fromBytes(bytes));
    const program = importProgram(await archive.program());
    const customOps = new Map([["mine::bend", { schema: SCHEMA, package: "bend-ops", version: null }]]);
    const tensors = new Map<string, TensorData>();
    for (const [name, weight] of await archive.weights()) tensors.set(name, await readTensor(weight));
    const chunks: Uint8Array[] = [];
    await writeSafetensors(tensors, async (chunk) => void chunks.push(chunk));
    const document = Buffer.from(JSON.stringify(toJson({ ...program, customOps })));
    const problem = await problemOf(load(document, { backend, weights: Buffer.concat(chunks) }));
    expect(problem).toMatchObject({ code: "runtime.unsupported-ops", details: { packages: ["bend-ops"] } });
  });

  it("loads with the op set, and is refused where that has another schema", async () => {
    await using model = await load(await withList(list()), { backend, ops: [{ name: "bend-ops", ops: [bend] }] });
    expect(model.inputs).toHaveLength(1);
    const other = await withList(list("mine::bend(Tensor self, float by=1.) -> Tensor"));
    await expect(load(other, { backend, ops: [{ name: "bend-ops", ops: [bend] }] })).rejects.toMatchObject({
      code: "runtime.custom-ops",
      what: `Op set "bend-ops" defines ${SCHEMA}, but the program was saved with mine::bend(Tensor self, float by=1.) -> Tensor`,
      advice: "install the version that it was saved with: bend-ops@1.2.0",
    });
  });

  it.each(["{", "[]", '{"mine::bend": {"schema": 3}}'])("with the damaged list %s is refused", async (text) => {
    const damaged = await withList(text);
    await expect(load(damaged, { backend, ops: [{ name: "mine", ops: [bend] }] })).rejects.toMatchObject({
      code: "runtime.custom-ops",
    });
    // Without op sets the ops that are missing matter more.
    await expect(load(damaged, { backend })).rejects.toMatchObject({ code: "runtime.unsupported-ops" });
  });

  it("without custom ops loads without reading the list", async () => {
    await using model = await loadFixture("torch-2.13/mlp", {});
    expect(model.inputs).toHaveLength(1);
  });
});
