import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Backend, Tensor } from "@pt2/backend";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { type Aten, eagerOps } from "@pt2/eager";
import { Pt2Error } from "@pt2/format";
import { parse } from "@pt2/graph";
import { defineOp } from "@pt2/registry";
import { scalar as s } from "@pt2/registry/scalar";
import { load, readSchema, tensor } from "@pt2/runtime/node";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fixturePath, pt2, temporaryFolder } from "../fixtures.test-helper.ts";
import { registryWith } from "../user-ops.ts";
import { generateModule } from "./generate-module.ts";
import * as attention from "./generated/attention.test-module.ts";
import * as buffers from "./generated/buffers.test-module.ts";
import * as cond from "./generated/cond.test-module.ts";
import * as conv from "./generated/conv.test-module.ts";
import * as datadep from "./generated/datadep.test-module.ts";
import * as dynamic from "./generated/dynamic.test-module.ts";
import * as lstm from "./generated/lstm.test-module.ts";
import * as map from "./generated/map.test-module.ts";
import * as nestedCond from "./generated/nested_cond.test-module.ts";
import * as numerics from "./generated/numerics.test-module.ts";
import * as scan from "./generated/scan.test-module.ts";
import * as sharedBuffers from "./generated/shared_buffers.test-module.ts";
import * as trees from "./generated/trees.test-module.ts";
import * as whileLoop from "./generated/while_loop.test-module.ts";

type Weights = (name: string) => Tensor;

interface Generated {
  readWeights(source: string, backend: Backend): Promise<Weights>;
  forward(aten: Aten, weights: Weights, ...inputs: readonly Tensor[]): unknown;
}

const GENERATED = {
  attention,
  buffers,
  cond,
  conv,
  datadep,
  dynamic,
  lstm,
  map,
  nested_cond: nestedCond,
  numerics,
  scan,
  shared_buffers: sharedBuffers,
  trees,
  while_loop: whileLoop,
} as unknown as Readonly<Record<string, Generated>>;
const NAMES = Object.keys(GENERATED);
const REGISTRY = registryWith({ ops: [], handlers: [] });
beforeAll(() => REGISTRY.load("all"));
const fileOf = (name: string): string => {
  const path = fixturePath(`programs/${name}.pt2`);
  return existsSync(path) ? path : fixturePath(`torch-2.13/${name}.pt2`);
};

/** Each backend, or why this machine does not have it. */
const BACKENDS = await Promise.all(
  Object.entries({ wasm, libtorch, webgpu }).map(async ([name, make]) => {
    try {
      return { name, why: "available", backend: (await make()) as Backend };
    } catch (problem) {
      if (problem instanceof Pt2Error) return { name, why: problem.what, backend: null };
      throw problem;
    }
  }),
);
afterAll(() => Promise.all(BACKENDS.map(({ backend }) => backend?.dispose())));

/** The structure of a result, with shapes in place of tensors, whose elements are added to a list. */
async function structureOf(value: unknown, elements: number[]): Promise<unknown> {
  if (value instanceof Tensor) {
    for (const each of await value.read()) elements.push(Number(each));
    return { dtype: value.dtype, shape: value.shape };
  }
  if (typeof value !== "object" || value === null) return value;
  const made: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) made.push([key, await structureOf(item, elements)]);
  return Array.isArray(value) ? made.map(([, item]) => item) : Object.fromEntries(made);
}

/** Inputs that the program accepts; open sizes are 3. Those of the first call are positive, of the second negative. */
async function inputsFor(name: string, call: number): Promise<readonly Tensor[]> {
  const { inputs } = await readSchema(fileOf(name));
  return inputs.map(({ type }, at) => {
    if (type.kind !== "tensor") throw new Error(`${name}: an input is not a tensor`);
    const shape = type.shape.map((size) => (typeof size === "number" ? size : 3));
    const count = shape.reduce((product, size) => product * size, 1);
    return tensor(
      type.dtype,
      shape,
      Array.from({ length: count }, (_, i) =>
        type.dtype === "int64" ? i % 3 : Math.sin(3 * i + at) + (call === 0 ? 1.5 : -1.5),
      ),
    );
  });
}

describe("pt2 codegen", () => {
  it.each(NAMES)("pt2 codegen writes the module of %s that is compiled here", async (name) => {
    const path = fileURLToPath(new URL(`generated/${name}.test-module.ts`, import.meta.url));
    const { code, out } = await pt2("codegen", fileOf(name));
    expect(code).toBe(0);
    if (process.env.PT2_UPDATE) writeFileSync(path, out);
    expect(out).toBe(readFileSync(path, "utf8"));
  });

  // `noUnusedParameters`, which new projects of Vite have, refuses others.
  it.each(NAMES)("parameters of the module of %s that nothing reads begin with an underscore", async (name) => {
    const text = readFileSync(new URL(`generated/${name}.test-module.ts`, import.meta.url), "utf8");
    for (const [, parameters, body] of text.matchAll(
      /^(?:export )?(?:async )?function \w+\((.*)\): .* \{\n([\s\S]*?)^\}/gm,
    )) {
      for (const [, parameter] of parameters!.matchAll(/(?:^|, )(\w+): /g)) {
        const isRead = new RegExp(`\\b${parameter}\\b`).test(body!);
        expect([parameter, parameter!.startsWith("_")]).toEqual([parameter, !isRead]);
      }
    }
  });

  describe.each(BACKENDS)("on $name ($why)", ({ backend }) => {
    it.skipIf(backend === null).each(NAMES)(
      "the module of %s gives what the program gives, in the same structure, call after call",
      async (name) => {
        await using ops = await eagerOps(backend!);
        const module = GENERATED[name]!;
        await using model = await load(fileOf(name), { backend: backend!, precision: "exact" });
        const weights = await module.readWeights(fileOf(name), backend!);
        // The second call sees what the first one has written to buffers.
        for (let call = 0; call < 2; call++) {
          const inputs = await inputsFor(name, call);
          const [wanted, given]: [number[], number[]] = [[], []];
          const expected = await structureOf(await model.run({ leaves: inputs }), wanted);
          const made = await structureOf(await module.forward(ops.aten, weights, ...inputs), given);
          expect(made).toEqual(expected);
          expect(given).toHaveLength(wanted.length);
          for (const [i, value] of wanted.entries()) {
            if (Number.isNaN(value)) expect(given[i], `element ${i}`).toBeNaN();
            else expect(given[i], `element ${i}`).toBeCloseTo(value, 5);
          }
        }
      },
    );
  });

  it("a module refuses what the program refuses: other sizes, dtypes, and what breaks guards of the file", async () => {
    const { out } = await pt2("codegen", fileOf("derived"));
    const lines = out.split("\n").map((line) => line.trim());
    expect(lines).toContain('expects("twice", twice, "float32", [(2 * x.shape[0]!), 2]);');
    expect(lines).toContain('if (!(x.shape[0]! <= 32)) throw new RangeError("It must be that x.shape[0] <= 32");');
    expect(lines).toContain("const eq = mod === 0;");
    expect(lines).toContain(
      'if (!eq) throw new RangeError("Guard failed: ((2*twice.size()[0]) % (2*x.size()[0])) == 0");',
    );
    const noWeight = (): Tensor => expect.unreachable();
    const call = (ids: Tensor) => () => dynamic.forward({} as Aten, noWeight, ids);
    expect(call(tensor("float32", [2, 3], new Float32Array(6)))).toThrow(
      "Input ids is float32 [2, 3] but must be int64 [any, any]",
    );
    expect(call(tensor("int64", [3], [1, 1, 1]))).toThrow("Input ids is int64 [3] but must be int64 [any, any]");
    expect(call(tensor("int64", [65, 1], Array(65).fill(1)))).toThrow("ids.shape[0] <= 64");
  });

  it("sizes that inputs have multiples of are found from them, and expressions of sizes are TypeScript's", () => {
    const program = parse(`program {
  range s0 = [3, 9]
  range s2 = [5]
  user_input %x: f32[2*s0 + 4, Max(1, s0//2)]
  user_input %n: int(s2)
  user_input %m: int(s2 + 1)
  %a: bool = _operator::gt(a=%n, b=4)
  %b: bool = torch::sym_not(a=%a)
  %c: bool = _operator::or_(a=%b, b=%a)
  %d: int = _operator::and_(a=%n, b=6)
  %e: float = math::log2(x=%d)
  %f: float = _operator::truediv(a=%n, b=%d)
  %g: float = torch::sym_ite(b=%c, t=%e, f=%f)
  guard: aten::_assert_scalar(%c, assert_msg="no")
  %y: f32[] = aten::add.Tensor(self=%x, other=%g)
  return %y
}`);
    const text = generateModule(program, REGISTRY);
    const found = "((x.shape[0]! - 4) / 2)";
    expect(text.slice(text.indexOf("export function forward"))).toContain(`
  expects("x", x, "float32", [null, Math.max(1, Math.floor(${found} / 2))]);
  if (!(m === (n + 1))) throw new RangeError("It must be that m === (n + 1)");
  if (!(Number.isInteger(${found}))) throw new RangeError("It must be that Number.isInteger(${found.replace("!", "")})");
  if (!(${found} >= 3)) throw new RangeError("It must be that ${found.replace("!", "")} >= 3");
  if (!(${found} <= 9)) throw new RangeError("It must be that ${found.replace("!", "")} <= 9");
  if (!(n >= 5)) throw new RangeError("It must be that n >= 5");
  const gt = n > 4;
  const symNot = !(gt);
  const or = symNot || gt;
  const and = Number(BigInt(n) & BigInt(6));
  const log2 = real(Math.log2(and));
  const truediv = real((n / and));
  const symIte = or ? log2 : truediv;
  if (!or) throw new RangeError("no");
`);
  });

  it("ops of packages are called in their own namespace", async () => {
    const bend = defineOp("my::bend(Tensor self, float by=2.) -> Tensor", { scalar: (x, by) => s.mul(x, by) });
    const registry = registryWith({ ops: [{ name: "my", ops: [bend] }], handlers: [] });
    await registry.load("all");
    const program = parse(`program {
  user_input %x: f32[3]
  %y: f32[3] = my::bend(self=%x, by=3.0)
  %z: f32[3] = aten::relu(self=%y)
  return %z
}`);
    const text = generateModule(program, registry);
    expect(text).toContain('import type { Aten, Namespace } from "@pt2/eager";');
    expect(text).toContain(
      "export function forward(aten: Aten, my: Namespace, _weights: Weights, x: Tensor): Tensor {",
    );
    expect(text).toContain("const bend = my.bend!(x, { by: 3 });");
    expect(() => generateModule(program, REGISTRY)).toThrow(expect.objectContaining({ code: "cli.codegen" }));
  });

  it("new values of parameters are written too", () => {
    const program = parse(`program {
  parameter "w" = %w: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::div.Scalar(self=%w, other=2)
  %z: f32[3] = aten::mul.Tensor(self=%x, other=%y)
  return %y -> parameter_mutation "w", %z
}`);
    expect(
      generateModule(program, REGISTRY),
    ).toContain(`export function forward(aten: Aten, weights: State, x: Tensor): Tensor {
  expects("x", x, "float32", [3]);
  const div = aten.div.Scalar(weights("w"), 2);
  const mul = aten.mul(x, div);
  weights.write("w", div);
  return mul;
}`);
  });

  it("an overload is named where the arguments mean another one", () => {
    const program = parse(`program {
  user_input %x: f32[3]
  %a: f32[3] = aten::add.Tensor(self=%x, other=%x)
  %b: f32[3] = aten::add.Scalar(self=%a, other=1)
  %c: f32[3] = aten::add.Tensor(self=%b, other=1)
  %d: f32[] = aten::sum.dim_IntList(self=%c, dim=none)
  %e: f32[] = aten::sum(self=%c)
  return %d, %e
}`);
    const text = generateModule(program, REGISTRY);
    expect([...text.matchAll(/ = (aten.*);/g)].map(([, call]) => call)).toEqual([
      "aten.add(x, x)",
      "aten.add.Scalar(add, 1)",
      "aten.add(add2, 1)",
      "aten.sum(add3, null)",
      "aten.sum(add3)",
    ]);
  });

  it("repeated modules are one function and a loop, and what differs is an argument", () => {
    const layer = (n: number, x: string): string =>
      `  %l${n}: f32[2, 3] = aten::linear(input=%${x}, weight=%w${n})  # net.layers.${n}.fc
  %r${n}: f32[2, 3] = aten::relu(self=%l${n})  # net.layers.${n}`;
    const program = parse(`program {
  parameter "net.layers.0.fc.weight" = %w0: f32[3, 3]
  parameter "net.layers.1.fc.weight" = %w1: f32[3, 3]
  parameter "net.layers.2.fc.weight" = %w2: f32[3, 3]
  user_input %x: f32[2, 3]
${layer(0, "x")}
${layer(1, "r0")}
${layer(2, "r1")}
  return %r2
}`);
    const nodes = program.graph.nodes.map((node, i) => ({
      ...node,
      origin: {
        modulePath: `net.layers.${i >> 1}${i % 2 === 0 ? ".fc" : ""}`,
        moduleClass: i % 2 === 0 ? "torch.nn.Linear" : "my.Layer",
      },
    }));
    const text = generateModule({ ...program, graph: { ...program.graph, nodes } }, REGISTRY);
    expect(text.slice(text.indexOf("/** `net"))).toBe(`/** \`net.layers.0\`, a \`Layer\`. */
function layer(aten: Aten, weights: Weights, x: Tensor): Tensor {
  const fc = aten.linear(x, weights("fc.weight"));
  const relu = aten.relu(fc);
  return relu;
}

/** The program. */
export function forward(aten: Aten, weights: Weights, x: Tensor): Tensor {
  expects("x", x, "float32", [2, 3]);
  let layers: Tensor = x;
  for (let i = 0; i < 3; i++) {
    layers = layer(aten, below(weights, \`net.layers.\${i}\`), layers);
  }
  return layers;
}
`);
  });

  it("names of a file cannot become code", () => {
    const name = `"); process.exit(1); ("*/\`\${process.exit(1)}`;
    const program = parse(`program {
  parameter ${JSON.stringify(name)} = %w: f32[3]
  user_input %x: f32[3]
  %y: f32[3] = aten::add.Tensor(self=%x, other=%w)
  return %y
}`);
    const nodes = program.graph.nodes.map((node) => ({ ...node, origin: { modulePath: name, moduleClass: name } }));
    const text = generateModule({ ...program, graph: { ...program.graph, nodes } }, REGISTRY);
    expect(text).toContain(`weights(${JSON.stringify(name)})`);
    expect(text.split(JSON.stringify(name)).join("")).not.toContain("process.exit");
  });

  it("words that a module reserves, and names that it cannot declare, become other names", () => {
    const words = (
      "arguments await break case class const default delete enum eval export function implements import in " +
      "interface let new null package private protected public return static super this true undefined void with yield"
    ).split(" ");
    const program = parse(`program {
${words.map((word) => `  user_input %${word}: f32[3]`).join("\n")}
  return ${words.map((word) => `%${word}`).join(", ")}
}`);
    const text = generateModule(program, REGISTRY);
    const names = [...text.matchAll(/(\w+): Tensor[,)]/g)].map(([, name]) => name!).slice(-words.length);
    expect(names).toEqual(words.map((word) => `value${word}`));
    // A strict, asynchronous function reserves what a module does.
    const declares = (name: string) => new Function(`"use strict"; async () => { const ${name} = 1; };`);
    for (const name of names) expect(() => declares(name)).not.toThrow();
    for (const word of ["await", "yield", "eval", "static"]) expect(() => declares(word)).toThrow(SyntaxError);
  });

  it.each([
    ["mutated_input", "user_input_mutation"],
    ["static_cache", "user_input_mutation"],
  ])("a program with %s is refused", async (name, what) => {
    const { code, err } = await pt2("codegen", fileOf(name));
    expect(code).not.toBe(0);
    expect(err).toContain(what);
  });

  it("pt2 codegen writes to a file", async () => {
    const path = join(temporaryFolder(), "mlp.ts");
    expect(await pt2("codegen", fileOf("mlp"), "-o", path)).toEqual({ code: 0, out: "", err: "" });
    expect(readFileSync(path, "utf8")).toContain("export function forward(");
  });
});
