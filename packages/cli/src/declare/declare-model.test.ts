import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { wasm } from "@pt2/backend-wasm/node";
import { type Program, parse } from "@pt2/graph";
import { load, type ModelTypes, readSchema, type TensorOutput, type TypedModel, tensor } from "@pt2/runtime/node";
import { describe, expect, expectTypeOf, it } from "vitest";
import { fixturePath, pt2, temporaryFolder } from "../fixtures.test-helper.ts";
import { declareModel } from "./declare-model.ts";
import type { DynamicModel } from "./declared/dynamic.test-types.ts";
import type { TokensModel } from "./declared/tokens.test-types.ts";
import type { TreesModel } from "./declared/trees.test-types.ts";

const DECLARED = [
  ["torch-2.13/trees", "trees"],
  ["torch-2.13/dynamic", "dynamic"],
  ["joint/tokens", "tokens"],
] as const;

const left = tensor("float32", [3, 2], new Float32Array(6));
const named = new Float32Array(2);
const pair = { left, right: [left] } as const;

describe("pt2 types", () => {
  it.each(DECLARED)("pt2 types writes the declaration of %s that the type tests compile with", async (name, file) => {
    const path = fileURLToPath(new URL(`declared/${file}.test-types.ts`, import.meta.url));
    if (process.env.PT2_UPDATE) await pt2("types", fixturePath(`${name}.pt2`), "-o", path);
    expect(await pt2("types", fixturePath(`${name}.pt2`))).toEqual({
      code: 0,
      err: "",
      out: readFileSync(path, "utf8"),
    });
  });

  it("pt2 types writes to a file, and takes the name of the interface", async () => {
    const path = join(temporaryFolder(), "mlp.d.ts");
    const args = ["types", fixturePath("torch-2.13/mlp.pt2")];
    expect(await pt2(...args, "--name", "Perceptron", "-o", path)).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(path, "utf8")).toContain("export interface Perceptron extends ModelTypes {");
    const json = JSON.parse((await pt2(...args, "--json")).out);
    expect(json).toEqual({
      name: "MlpModel",
      declaration: expect.stringContaining('TensorInput<"float32", [5, 7]>'),
    });
    for (const bad of ["a b", "lower", "ModelTypes", "X{}"]) {
      expect(await pt2(...args, "--name", bad)).toMatchObject({ code: 2, out: "" });
    }
  });

  it("load with a declared type runs the model with it", async () => {
    await using backend = wasm({ worker: false });
    await using model = await load<TreesModel>(fixturePath("torch-2.13/trees.pt2"), { backend });
    const byName = await model.forward({ pair, named });
    const asPython = await model.run({ args: [pair], kwargs: { named } });
    expect(byName.list[1][1]).toBe(3);
    expect([byName.sum.dtype, asPython.named.shape]).toEqual(["float32", [2]]);
  });
});

describe("the types of a typed model", () => {
  it("results have the module's structure, with dtypes", () => {
    expectTypeOf<TreesModel>().toExtend<ModelTypes>();
    const trees = (model: TypedModel<TreesModel>) => model.forward({ pair, named });
    type Trees = Awaited<ReturnType<typeof trees>>;
    expectTypeOf<Trees["list"][1][1]>().toEqualTypeOf<3>();
    expectTypeOf<Trees["sum"]["dtype"]>().toEqualTypeOf<"float32">();
    type Joint = Awaited<ReturnType<NonNullable<TypedModel<TokensModel>["step"]>>>;
    expectTypeOf<Joint["gradients"]["embed.weight"]>().toExtend<TensorOutput<"float32">>();
    expectTypeOf<Joint["outputs"]["loss"]["dtype"]>().toEqualTypeOf<"float32">();
    const plain = () => load("model.pt2", { backend: wasm() });
    expectTypeOf<Awaited<ReturnType<typeof plain>>>().toEqualTypeOf<Awaited<ReturnType<typeof load>>>();
  });

  it("calls that do not fit do not compile", () => {
    // Never called: the compiler checks it.
    const calls = (trees: TypedModel<TreesModel>, dynamic: TypedModel<DynamicModel>) => {
      const ids = tensor("int64", [1, 2], [1, 2]);
      void dynamic.forward(ids);
      void dynamic.run({ args: [ids] });
      void dynamic.run({ kwargs: { ids } });
      // @ts-expect-error: the dtype is another one.
      void dynamic.forward(tensor("int32", [1, 2], [1, 2]));
      // @ts-expect-error: an array has no shape, which is symbolic here.
      void dynamic.forward(new BigInt64Array(2));
      // @ts-expect-error: the argument is missing.
      void dynamic.forward();
      // @ts-expect-error: there is no second argument.
      void dynamic.forward(ids, ids);
      // @ts-expect-error: the program has no keyword argument.
      void dynamic.run({ args: [ids], kwargs: { mask: ids } });
      // @ts-expect-error: the key is misspelled.
      void trees.forward({ pair, name: named });
      // @ts-expect-error: the keyword-only argument is missing.
      void trees.run({ args: [pair] });
      // @ts-expect-error: a key of the dict is missing.
      void trees.forward({ pair: { left }, named });
      // @ts-expect-error: the list has one item.
      void trees.forward({ pair: { left, right: [left, left] }, named });
      // @ts-expect-error: the typed array is of another dtype.
      void trees.run({ args: [pair], kwargs: { named: new Float64Array(2) } });
    };
    expect(calls).toBeTypeOf("function");
  });
});

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));

/** Compiles declarations under `strict` and returns the compiler's messages. */
function compile(declarations: ReadonlyMap<string, string>): string {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "models"));
  for (const [name, text] of declarations) writeFileSync(join(folder, "models", `${name}.ts`), text);
  const compilerOptions = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noEmit: true,
    skipLibCheck: true,
    types: [],
    target: "ES2023",
    lib: ["ES2023", "ESNext.Disposable", "DOM"],
    module: "NodeNext",
    allowImportingTsExtensions: true,
    customConditions: ["dev"],
    paths: { "@pt2/runtime": [join(ROOT, "packages/runtime/src/model-types.ts")] },
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, include: ["models"] }));
  const { stdout } = spawnSync(join(ROOT, "node_modules/.bin/tsc"), ["-p", folder, "--pretty", "false"], {
    encoding: "utf8",
  });
  return stdout;
}

/** Names that would end a string, a comment, a type or a line, or that mean something to JavaScript. */
const UNSAFE_NAMES = [
  '"; export const evil = 1; //',
  "*/ declare const evil: 1; /*",
  "`$" + "{process.exit()}`",
  "}\nexport {}",
  "\u2028evil\u2029",
  "\\",
  "__proto__",
  "constructor",
  "default",
  "ModelTypes",
  "",
  "a b",
  "x\r\n*/",
];

function programOfUnsafeNames(): Program {
  const count = UNSAFE_NAMES.length;
  const base = parse("program {\nuser_input %x: f32[s0]\nreturn %x\n}");
  const type = base.graph.values.get("x")!;
  const leaf = { type: null, context: null, children: [] };
  const leaves = UNSAFE_NAMES.map(() => leaf);
  const values = UNSAFE_NAMES.map((_, i) => `v${i}`);
  const dict = { type: "builtins.dict", context: UNSAFE_NAMES, children: leaves };
  const tuple = { type: "builtins.tuple", context: null, children: [...leaves, ...leaves, dict] };
  const named = [...values, ...values.map((name) => `${name}b`), ...values.map((name) => `${name}c`)];
  const all = [...named, ...values.map((name) => `${name}k`)];
  return {
    ...base,
    ranges: new Map([["s0", { min: 1, max: null }]]),
    // Each name occurs twice: as a parameter too.
    forwardArgs: [...UNSAFE_NAMES, ...UNSAFE_NAMES, "*/"],
    inSpec: { type: "builtins.tuple", context: null, children: [tuple, { ...dict, children: leaves }] },
    outSpec: { type: "collections.namedtuple", context: "Evil*/", children: leaves },
    namedTuples: new Map([["Evil*/", UNSAFE_NAMES]]),
    inputs: all.map((value, i) =>
      i % 3 === 1
        ? { kind: "constant_input", name: value, constant: { kind: "string", value: UNSAFE_NAMES[i % count]! } }
        : { kind: "user_input", value },
    ),
    outputs: UNSAFE_NAMES.map(() => ({ kind: "user_output" })),
    graph: {
      ...base.graph,
      inputs: all,
      outputs: values.map((name) => ({ kind: "value", name })),
      values: new Map(
        all.map((name, i) => [name, i % 3 === 2 ? { kind: "object", className: UNSAFE_NAMES[i % count]! } : type]),
      ),
    },
  };
}

const FOLDERS = ["torch-2.6", "torch-2.8", "torch-2.13", "programs", "joint"];

function programsIn(folder: string): readonly string[] {
  const files = readdirSync(fixturePath(folder)).filter((file) => file.endsWith(".pt2"));
  return files.map((file) => `${folder}/${file}`);
}

describe("declarations of any file", () => {
  it("declarations of all fixtures compile under strict", { timeout: 120_000 }, async () => {
    const declarations = new Map<string, string>();
    for (const path of FOLDERS.flatMap(programsIn)) {
      const { program } = await readSchema(fixturePath(path));
      declarations.set(path.replace("/", "-"), declareModel(program, "SomeModel"));
    }
    expect(declarations.size).toBeGreaterThan(100);
    expect(compile(declarations)).toBe("");
  });

  it("names that contain code stay names", () => {
    const text = declareModel(programOfUnsafeNames(), "SomeModel");
    expect(compile(new Map([["unsafe-names", text]]))).toBe("");
    expect(text).toMatch(/^[\x20-\x7e\n]*$/);
    // Outside of strings and comments nothing of them is left.
    const code = text.replace(/\/\*[\s\S]*?\*\/|"(?:[^"\\\n]|\\.)*"/g, "");
    expect(code).not.toMatch(/evil|process|\bdeclare\b|\bconst\b/);
    expect(code.match(/^(export|import)\b.*$/gm)).toEqual([
      "import type { ModelTypes, TensorInput, TensorOutput } from ;",
      "export interface SomeModelParameters {",
      "export interface SomeModel extends ModelTypes {",
    ]);
  });
});
