import { type HostTensor, hostTensor } from "@pt2/backend";
import { parse } from "@pt2/graph";
import { createRegistry, defineOp, type OpSet, type TensorMeta } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { afterAll, describe, expect, expectTypeOf, it } from "vitest";
import { wasm } from "../node.ts";
import { type ModuleCall, moduleKernel } from "./module-kernel.ts";

const worker = wasm();
const local = wasm({ worker: false });

afterAll(async () => {
  await worker.dispose();
  await local.dispose();
});

/** Exports `largest(from, to, rows, size)`: of each row of float32, each element becomes the largest so far. */
const LARGEST = Uint8Array.from(
  atob(
    "AGFzbQEAAAABCAFgBH9/f38AAg8BA2VudgZtZW1vcnkCAAADAgEABwsBB2xhcmdlc3QAAApYAVYCAn8BfQNAIAIgBUoEQEMAAID/IQZBACEEA0AgAyAESgRAIAEgBiAAKgIAlyIGOAIAIARBAWohBCAAQQRqIQAgAUEEaiEBDAELCyAFQQFqIQUMAQsLCw==",
  ),
  (char) => char.charCodeAt(0),
);

const largest = defineOp("mine::largest(Tensor self, int times=1) -> Tensor", {
  infer: ({ self }) => ({ dtype: self.dtype, shape: self.shape }),
  decompose: ({ self }, b) => b.call("aten::cummax", { self, dim: 1 })[0],
});

type Calls = Parameters<typeof moduleKernel<typeof largest>>[0]["calls"];

const sizes = ({ shape }: TensorMeta) => [shape[0]!, shape[1]!] as const;
const once: Calls = ({ self }, [out]) => [["largest", self, out, ...sizes(self)]];

const setOf = (calls: Calls = once, module: Uint8Array = LARGEST): OpSet => ({
  name: "mine",
  ops: [largest],
  kernels: {
    wasm: [moduleKernel({ ops: [largest], module, accepts: ({ self }) => self.dtype === "float32", calls })],
  },
});

const PROGRAM = `program {
  user_input %x: f32[s0, 3]
  %t: f32[3, s0] = aten::permute(%x, dims=[1, 0])
  %a: f32[3, s0] = mine::largest(self=%t, times=2)
  %b: f32[3, s0] = aten::neg(%a)
  return %b
}`;

async function results(set: OpSet, backend = worker, text = PROGRAM) {
  const registry = createRegistry({ sets: [aten, set] });
  const executable = await backend.compile({ program: parse(text), weights: new Map(), registry });
  const outputs: unknown[] = [];
  for (const rows of [2, 4, 2, 0]) {
    const data = Float32Array.from({ length: 3 * rows }, (_, i) => Math.round(10 * Math.sin(i)));
    const [out] = await executable.run([hostTensor("float32", [rows, 3], data)]);
    outputs.push(Array.from((out as HostTensor).data as Float32Array));
  }
  const explanation = await executable.explain();
  await executable.dispose();
  return { outputs, explanation };
}

describe("a kernel of a WebAssembly module", () => {
  it("computes in the worker and on the calling thread, for sizes that come later too", async () => {
    const [there, here] = [await results(setOf()), await results(setOf(), local)];
    expect(there.outputs).toEqual(here.outputs);
    expect(there.outputs[0]).toHaveLength(6);
    const plain = await results({ name: "mine", ops: [largest] }, local);
    expect(here.outputs).toEqual(plain.outputs);
    expect(there.explanation).not.toContain("calling thread");
    for (const { explanation } of [there, here]) expect(explanation).toContain("mine::largest");
  });

  it("has temporaries, and calls functions one after the other", async () => {
    let asked = 0;
    const twice: Calls = ({ self, times }, [out], temporary) => {
      asked++;
      expectTypeOf(self).toEqualTypeOf<TensorMeta>();
      expectTypeOf(times).toEqualTypeOf<number>();
      expect(times).toBe(2);
      const between = temporary("float32", self.shape);
      return [
        ["largest", self, between, ...sizes(self)],
        ["largest", between, out, ...sizes(self)],
      ];
    };
    const { outputs } = await results(setOf(once));
    for (const backend of [worker, local]) {
      asked = 0;
      expect((await results(setOf(twice), backend)).outputs).toEqual(outputs);
      expect(asked).toBeLessThan(6);
    }
  });

  it("declines arguments, which the op's decomposition then computes", async () => {
    const doubles = PROGRAM.replaceAll("f32", "f64");
    const registry = createRegistry({ sets: [aten, setOf()] });
    for (const backend of [worker, local]) {
      const program = parse(doubles);
      const executable = await backend.compile({ program, weights: new Map(), registry });
      const [out] = await executable.run([hostTensor("float64", [1, 3], Float64Array.of(1, 2, 3))]);
      expect(Array.from((out as HostTensor).data as Float64Array)).toEqual([-1, -2, -3]);
      await executable.dispose();
    }
  });

  it("needs no op set of its own ops: an op of PyTorch's may have one", async () => {
    const kernel = moduleKernel({
      ops: ["aten::cummax"],
      module: LARGEST,
      accepts: () => false,
      calls: () => [],
    });
    const set: OpSet = { name: "faster", ops: [], kernels: { wasm: [kernel] } };
    const text = PROGRAM.replace("mine::largest(self=%t, times=2)", "aten::relu(%t)");
    const { explanation } = await results(set, worker, text);
    expect(explanation).not.toContain("calling thread");
  });

  const wrong: readonly (readonly [string, Calls, string])[] = [
    ["leaves its result out", ({ self }) => [["largest", self, self, 1, 1]], "no call of its module gets result 0"],
    [
      "names a tensor that it made up",
      ({ self }, [out]) => [["largest", { ...self }, out, 1, 1]],
      "neither an argument, nor a result, nor a temporary",
    ],
  ];
  it.each(wrong)("is refused when it %s", async (_, calls, what) => {
    for (const backend of [worker, local]) {
      await expect(results(setOf(calls), backend)).rejects.toMatchObject({
        code: "backend.kernel",
        what: expect.stringContaining(what),
        where: expect.stringContaining("%a"),
      });
    }
  });
});

describe("the module of a kernel", () => {
  const section = (id: number, ...content: readonly number[]) => [id, content.length, ...content];
  const text = (value: string) => [value.length, ...new TextEncoder().encode(value)];
  const moduleOf = (...sections: readonly (readonly number[])[]) =>
    Uint8Array.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0, ...sections.flat()]);
  const memory = section(2, 1, ...text("env"), ...text("memory"), 2, 0, 1);
  const type = section(1, 1, 0x60, 0, 0);
  const functions = section(3, 1, 0);
  const code = section(10, 1, 2, 0, 0x0b);

  const refused: readonly (readonly [string, Uint8Array, string])[] = [
    ["that is none", Uint8Array.of(1, 2, 3), "does not compile"],
    ["without the model's memory", moduleOf(), "does not import env.memory"],
    [
      "that imports a function",
      moduleOf(type, section(2, 1, ...text("env"), ...text("log"), 0, 0)),
      "imports env.log, a function",
    ],
    [
      "that imports a table",
      moduleOf(section(2, 1, ...text("env"), ...text("table"), 1, 0x70, 0, 1)),
      "imports env.table, a table",
    ],
    ["with data", moduleOf(memory, section(11, 1, 0, 0x41, 0, 0x0b, 1, 7)), "has data segments"],
    ["with a start function", moduleOf(type, memory, functions, section(8, 0), code), "has a start function"],
    [
      "with a stack",
      moduleOf(memory, section(6, 1, 0x7f, 1, 0x41, 0x80, 0x80, 4, 0x0b)),
      "has a mutable global, such as the top of a stack or of a heap",
    ],
    ["of a memory with a maximum", moduleOf(section(2, 1, ...text("env"), ...text("memory"), 2, 1, 1, 2)), "linked"],
    ["without the function", moduleOf(memory), "exports no function largest"],
    [
      "whose function has other parameters",
      moduleOf(type, memory, functions, section(7, 1, ...text("largest"), 0, 0), code),
      "has largest of 0 parameters, which is called with 4 arguments",
    ],
  ];
  it.each(refused)("%s is refused", async (_, module, what) => {
    for (const backend of [worker, local]) {
      await expect(results(setOf(once, module), backend)).rejects.toMatchObject({
        code: "wasm.kernel-module",
        what: expect.stringContaining(what),
        where: expect.stringContaining("%a"),
      });
    }
  });

  it("may have constant globals of every type of number", async () => {
    const zeros = (count: number) => new Array<number>(count).fill(0);
    const globals = [
      [0x7f, 0, 0x41, 0x80, 1, 0x0b],
      [0x7e, 0, 0x42, 0x80, 0x80, 1, 0x0b],
      [0x7d, 0, 0x43, ...zeros(4), 0x0b],
      [0x7c, 0, 0x44, ...zeros(8), 0x0b],
      [0x7b, 0, 0xfd, 0x0c, ...zeros(16), 0x0b],
    ];
    const module = moduleOf(memory, section(6, globals.length, ...globals.flat()));
    await expect(results(setOf(once, module), local)).rejects.toMatchObject({
      what: expect.stringContaining("exports no function largest"),
    });
  });

  it("is a misspelled op or argument, and does not compile", () => {
    const calls = (): readonly ModuleCall[] => [];
    // @ts-expect-error The op is misspelled.
    moduleKernel({ ops: ["aten::cummx"], module: LARGEST, calls });
    // @ts-expect-error The record has no such argument.
    moduleKernel({ ops: [largest], module: LARGEST, calls: ({ other }) => [["largest", other]] });
  });
});
