import {
  type Argument,
  archiveToBytes,
  type ExportedProgram,
  type InputSpec,
  type NamedArgument,
  type Node,
  type TensorMeta,
  type TreeSpec,
  type WeightTensor,
} from "@pt2/format";

/** A program that grows: its name, and its archive for a size. */
export interface GrowingProgram {
  readonly name: string;
  /** Makes the archive; `size` is the number of nodes, results, inputs or writes that grows. */
  archive(size: number): Promise<Uint8Array>;
  /** Returns how many inputs a call takes, each float32 [8]. */
  readonly inputs: (size: number) => number;
}

/** The elements of every tensor of these programs. */
export const ELEMENTS = 8;

const META: TensorMeta = {
  dtype: "float32",
  sizes: [{ kind: "as_int", value: ELEMENTS }],
  strides: [{ kind: "as_int", value: 1 }],
  storageOffset: { kind: "as_int", value: 0 },
  requiresGrad: false,
  device: { type: "cpu", index: null },
  layout: "strided",
};

const tensorArg = (name: string): Argument => ({ kind: "as_tensor", name });
const leaf: TreeSpec = { type: null, context: null, children: [] };
const tuple = (size: number): TreeSpec => ({
  type: "builtins.tuple",
  context: null,
  children: Array.from({ length: size }, () => leaf),
});

/** Makes nodes one after the other; every value is a float32 vector. */
class Writer {
  readonly #inputs: string[] = [];
  readonly #specs: InputSpec[] = [];
  readonly #nodes: Node[] = [];
  readonly #values = new Map<string, TensorMeta>();

  input(): string {
    const name = `x${this.#inputs.length}`;
    this.#specs.push({ kind: "user_input", arg: tensorArg(name) });
    return this.#value(name, this.#inputs);
  }

  call(op: string, args: Readonly<Record<string, string | number>>): string {
    const name = `n${this.#nodes.length}`;
    const inputs: NamedArgument[] = Object.entries(args).map(([of, value]) => ({
      name: of,
      arg: typeof value === "string" ? tensorArg(value) : numberArg(value),
      kind: "positional",
    }));
    this.#nodes.push({
      target: `torch.ops.aten.${op}`,
      name,
      inputs,
      outputs: [tensorArg(this.#value(name))],
      metadata: { stackTrace: undefined, nnModuleStack: [], raw: new Map() },
      isHopSingleTensorReturn: null,
    });
    return name;
  }

  archive(outputs: readonly string[]): Promise<Uint8Array> {
    const results = outputs.map(tensorArg);
    const inSpec: TreeSpec = {
      type: "builtins.tuple",
      context: null,
      children: [tuple(this.#inputs.length), { type: "builtins.dict", context: [], children: [] }],
    };
    const outSpec = tuple(outputs.length);
    const program: ExportedProgram = {
      graphModule: {
        graph: {
          inputs: this.#inputs.map(tensorArg),
          outputs: results,
          nodes: this.#nodes,
          tensorValues: this.#values,
          symIntValues: new Map(),
          symFloatValues: new Map(),
          symBoolValues: new Map(),
          customObjValues: new Map(),
          isSingleTensorReturn: false,
        },
        inputSpecs: this.#specs,
        outputSpecs: results.map((arg) => ({ kind: "user_output", arg })),
        moduleCallGraph: [
          {
            fqn: "",
            signature: {
              inputs: [],
              outputs: [],
              inSpec,
              outSpec,
              inSpecText: specText(inSpec),
              outSpecText: specText(outSpec),
              forwardArgNames: this.#inputs,
            },
          },
        ],
        metadata: new Map(),
        namedtupleFields: new Map(),
      },
      opsetVersion: new Map([["aten", 10]]),
      rangeConstraints: new Map(),
      guardsCode: [],
      schemaVersion: { major: 8, minor: 20 },
      torchVersion: "2.13.0",
      dialect: "TRAINING",
      verifiers: ["TRAINING"],
    };
    return archiveToBytes({ models: [{ program, weights: new Map<string, WeightTensor>() }] });
  }

  #value(name: string, list?: string[]): string {
    list?.push(name);
    this.#values.set(name, META);
    return name;
  }
}

function numberArg(value: number): Argument {
  return Number.isInteger(value) ? { kind: "as_int", value } : { kind: "as_float", value };
}

/** Formats a spec as `torch.utils._pytree.treespec_dumps` does. */
function specText(spec: TreeSpec): string {
  const entry = ({ type, context, children }: TreeSpec): unknown => ({
    type,
    context: JSON.stringify(context),
    children_spec: children.map(entry),
  });
  return JSON.stringify([1, entry(spec)]);
}

const one = (): number => 1;

/** Each node reads the one before: everything fuses that a backend fuses. */
const CHAIN: GrowingProgram = {
  name: "chain",
  inputs: one,
  archive(size) {
    const writer = new Writer();
    let last = writer.input();
    for (let i = 0; i < size; i++) last = writer.call(i % 2 === 0 ? "sin.default" : "neg.default", { self: last });
    return writer.archive([last]);
  },
};

/** Each node reads the one before, and all read the input. */
const SHARED: GrowingProgram = {
  name: "reads of one value",
  inputs: one,
  archive(size) {
    const writer = new Writer();
    const x = writer.input();
    let last = x;
    for (let i = 0; i < size; i++) last = writer.call("add.Tensor", { self: last, other: x });
    return writer.archive([last]);
  },
};

/** Each result has a constant of its own, and all read one input: no two have the same expression. */
const DISTINCT: GrowingProgram = {
  name: "distinct results",
  inputs: one,
  archive(size) {
    const writer = new Writer();
    const x = writer.input();
    const results = Array.from({ length: size }, (_, i) =>
      writer.call("mul.Tensor", { self: writer.call("add.Tensor", { self: x, other: i + 0.5 }), other: x }),
    );
    return writer.archive(results);
  },
};

/** The program has many inputs, each of which is read. */
const INPUTS: GrowingProgram = {
  name: "inputs",
  inputs: (size) => size,
  archive(size) {
    const writer = new Writer();
    const given = Array.from({ length: size }, () => writer.input());
    let sum = given[0]!;
    for (const x of given.slice(1)) sum = writer.call("add.Tensor", { self: sum, other: x });
    return writer.archive([sum]);
  },
};

/** The program writes to elements of an input, each through a view of its own. */
const ELEMENT_WRITES: GrowingProgram = {
  name: "writes to elements",
  inputs: one,
  archive(size) {
    const writer = new Writer();
    const x = writer.input();
    for (let i = 0; i < size; i++) {
      const element = writer.call("select.int", { self: x, dim: 0, index: i % ELEMENTS });
      writer.call("fill_.Scalar", { self: element, value: i });
    }
    return writer.archive([x]);
  },
};

/** The program writes to each input. */
const INPUT_WRITES: GrowingProgram = {
  name: "writes to inputs",
  inputs: (size) => size,
  archive(size) {
    const writer = new Writer();
    const given = Array.from({ length: size }, () => writer.input());
    for (const x of given) writer.call("add_.Tensor", { self: x, other: 0.5 });
    return writer.archive([given.reduce((sum, x) => writer.call("add.Tensor", { self: sum, other: x }))]);
  },
};

/** The results of a kernel are all needed at the end, so none can share the memory of another. */
const ALIVE: GrowingProgram = {
  name: "alive at once",
  inputs: one,
  archive(size) {
    const writer = new Writer();
    const x = writer.input();
    let rows = x;
    const made = Array.from({ length: size }, () => (rows = writer.call("softmax.int", { self: rows, dim: 0 })));
    let sum = x;
    for (const row of made)
      sum = writer.call("softmax.int", { self: writer.call("add.Tensor", { self: sum, other: row }), dim: 0 });
    return writer.archive([sum]);
  },
};

/** Every program whose load must take work and memory in proportion to its size. */
export const GROWING: readonly GrowingProgram[] = [
  CHAIN,
  SHARED,
  DISTINCT,
  INPUTS,
  ELEMENT_WRITES,
  INPUT_WRITES,
  ALIVE,
];
