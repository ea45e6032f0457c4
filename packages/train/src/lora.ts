import { HostTensor, hostTensor } from "@pt2/backend";
import { numel, readTensor, type WeightTensor } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import {
  type Arg,
  argOf,
  type Graph,
  type InputSpec,
  type Node,
  type OpName,
  type Program,
  type TensorType,
  type ValueType,
  valuesOf,
} from "@pt2/graph";
import { GraphBuilder, Substitution } from "@pt2/graph/passes";
import { memoryWeight } from "./memory-weight.ts";
import { trainError } from "./train-errors.ts";
import { typeOf } from "./update-builder.ts";

/** Options of low-rank adapters. */
export interface LoraOptions {
  /** The rank of the adapters. */
  readonly rank: number;
  /** An adapter is scaled by `alpha / rank`. @default the rank */
  readonly alpha?: number;
  /**
   * The weights of linear layers that get an adapter, by name. One that other ops read too, such as that of an embedding, has
   * none: merged, it would change what they compute. @default all others
   */
  readonly match?: (name: string) => boolean;
  /** Of the first values of A. @default 0 */
  readonly seed?: number;
}

const OPTIONS: Readonly<Record<keyof LoraOptions, string>> = {
  rank: "number from 0",
  alpha: "number from 0",
  match: "synchronous function",
  seed: "number",
};

/** An adapter of one linear layer. */
export interface Adapter {
  /** The name of the weight W, of shape [out, in]. */
  readonly weight: string;
  /** The names of its factors, of shapes [rank, in] and [out, rank]. */
  readonly a: string;
  readonly b: string;
  readonly scale: number;
}

/** A program with adapters, and what they begin with. */
export interface Adapted {
  readonly program: Program;
  readonly weights: ReadonlyMap<string, WeightTensor>;
  readonly adapters: readonly Adapter[];
}

/**
 * Adds low-rank adapters to linear layers: `y = W x + b + alpha / rank B A x`, where A begins as PyTorch initializes a
 * linear layer and B with zeros (Hu et al., "LoRA: Low-Rank Adaptation of Large Language Models", section 4.1).
 */
export function withLora(program: Program, options: LoraOptions): Adapted {
  requireOptions("`lora`", options, OPTIONS, "train.options", "rank");
  const { rank, alpha = rank, match, seed = 0 } = options;
  if (!(Number.isInteger(rank) && rank >= 1)) {
    throw trainError("train.options", { what: `The rank of adapters must be an integer from 1, not ${rank}` });
  }
  const { graph } = program;
  const targets = new Map(
    program.inputs.flatMap((spec) => (spec.kind === "parameter" ? [[spec.value, spec.target]] : [])),
  );
  const shared = sharedValues(graph);
  const isMatched = (target: string, name: string): boolean => {
    const matches = match?.(target) ?? !shared.has(name);
    if (matches && shared.has(name)) throw refuseShared(target);
    return matches;
  };
  const builder = new GraphBuilder(graph);
  const replaced = new Substitution();
  const factors = new Factors(builder, uniform(seed));
  const adapters = new Map<string, Adapter>();
  for (const original of graph.nodes) {
    const node = replaced.node(original);
    builder.push(node);
    const layer = linearOf(node, graph.values, targets, isMatched);
    if (layer === null) continue;
    const { target, input, output, type, inner, outer } = layer;
    const [a, b, scale] = [`lora.A.${target}`, `lora.B.${target}`, alpha / rank];
    adapters.set(target, { weight: target, a, b, scale });
    const call = (op: OpName, args: Readonly<Record<string, Arg>>, name: string, result: TensorType): Arg => {
      const given = Object.entries(args).map(([key, arg]) => ({ name: key, arg }));
      return value(builder.emit({ op, args: given, results: [{ name, type: result }], origin: node.origin })[0]!);
    };
    const narrow = { ...type, shape: [...type.shape.slice(0, -1), rank], strides: type.strides };
    const A = factors.add(a, [rank, inner], 1 / Math.sqrt(inner));
    const low = call("aten::linear", { input: value(input), weight: A }, "lora", narrow);
    const high = call("aten::linear", { input: low, weight: factors.add(b, [outer, rank], 0) }, "lora", type);
    const added = { self: value(output), other: high, alpha: { kind: "float", value: scale } } as const;
    replaced.set(output, call("aten::add.Tensor", added, output, type));
  }
  if (adapters.size === 0) {
    throw trainError("train.parameters", {
      what: "No linear layer gets an adapter",
      advice:
        "`lora.match` is called with the names of the float32 weights of aten::linear, such as layers.0.q_proj.weight.",
    });
  }
  const built = builder.build(graph.outputs.map((arg) => replaced.arg(arg)));
  const { inputs, types, weights } = factors;
  return {
    program: {
      ...program,
      graph: { ...built, inputs: [...types.keys(), ...graph.inputs], values: new Map([...built.values, ...types]) },
      inputs: [...inputs, ...program.inputs],
    },
    weights,
    adapters: [...adapters.values()],
  };
}

/** The factors of adapters: parameters that a program gets in front of its inputs. */
class Factors {
  readonly inputs: InputSpec[] = [];
  readonly types = new Map<string, ValueType>();
  readonly weights = new Map<string, WeightTensor>();
  readonly #builder: GraphBuilder;
  readonly #random: () => number;
  readonly #values = new Map<string, Arg>();

  constructor(builder: GraphBuilder, random: () => number) {
    this.#builder = builder;
    this.#random = random;
  }

  /** Adds a factor of uniform numbers from `-bound` to `bound`, unless there is one of that name; returns its value. */
  add(target: string, shape: readonly number[], bound: number): Arg {
    const known = this.#values.get(target);
    if (known !== undefined) return known;
    const data = new Float32Array(numel(shape));
    if (bound > 0) for (let i = 0; i < data.length; i++) data[i] = (2 * this.#random() - 1) * bound;
    const name = this.#builder.fresh(target.replaceAll(/\W/g, "_"));
    this.inputs.push({ kind: "parameter", value: name, target });
    this.types.set(name, typeOf({ dtype: "float32", shape }));
    this.weights.set(target, memoryWeight(target, "parameter", hostTensor("float32", shape, data)));
    this.#values.set(target, value(name));
    return value(name);
  }
}

function value(name: string): Arg {
  return { kind: "value", name };
}

/** Puts W + scale B A in the place of each weight that has an adapter; `present` has the parameters as they are now. */
export async function mergeAdapters(
  adapters: readonly Adapter[],
  weights: ReadonlyMap<string, WeightTensor>,
  present: Map<string, HostTensor>,
): Promise<void> {
  for (const adapter of adapters) {
    const [a, b] = [present.get(adapter.a)!, present.get(adapter.b)!];
    const given = weights.get(adapter.weight)!;
    const owner = present.get(adapter.weight);
    const base = owner === undefined ? given : memoryWeight(adapter.weight, "parameter", owner);
    const merged = await mergedWeight(base, adapter, a.data as Float32Array, b.data as Float32Array);
    present.set(adapter.weight, new HostTensor("float32", given.shape, new Uint8Array(merged.buffer)));
  }
}

/** Returns W + scale B A, in float32. */
async function mergedWeight(
  weight: WeightTensor,
  { scale }: Adapter,
  a: ArrayLike<number>,
  b: ArrayLike<number>,
): Promise<Float32Array<ArrayBuffer>> {
  const { bytes, shape } = await readTensor(weight);
  const merged = new Float32Array(bytes.slice().buffer);
  const [outer, inner] = shape as readonly [number, number];
  const rank = a.length / inner;
  for (let o = 0; o < outer; o++) {
    for (let r = 0; r < rank; r++) {
      const factor = scale * b[o * rank + r]!;
      for (let i = 0; i < inner; i++) merged[o * inner + i]! += factor * a[r * inner + i]!;
    }
  }
  return merged;
}

/** Returns the values that anything but a linear layer reads, and those that layers read as something else than weights. */
function sharedValues({ nodes, outputs }: Graph): ReadonlySet<string> {
  const read = nodes.flatMap(({ op, args }) =>
    args.flatMap(({ name, arg }) => (op === "aten::linear" && name === "weight" ? [] : valuesOf(arg))),
  );
  return new Set([...read, ...outputs.flatMap(valuesOf)]);
}

function refuseShared(target: string): Error {
  return trainError("train.options", {
    what: `\`lora.match\` takes \`${target}\`, which other ops than linear layers read too`,
    advice: "Leave it out: an adapter that is merged into it would change what they compute.",
    details: { name: target },
  });
}

interface Linear {
  readonly target: string;
  readonly input: string;
  readonly output: string;
  readonly type: TensorType;
  readonly inner: number;
  readonly outer: number;
}

function linearOf(
  node: Node,
  types: ReadonlyMap<string, ValueType>,
  targets: ReadonlyMap<string, string>,
  isMatched: (target: string, value: string) => boolean,
): Linear | null {
  if (node.op !== "aten::linear") return null;
  const [input, weight, [output]] = [argOf(node, "input"), argOf(node, "weight"), node.outputs];
  if (input?.kind !== "value" || weight?.kind !== "value" || output?.kind !== "value") return null;
  const target = targets.get(weight.name);
  const [type, matrix] = [types.get(output.name), types.get(weight.name)];
  if (target === undefined || type?.kind !== "tensor" || matrix?.kind !== "tensor") return null;
  const [outer, inner] = matrix.shape;
  if (matrix.dtype !== "float32" || typeof outer !== "number" || typeof inner !== "number") return null;
  if (!isMatched(target, weight.name)) return null;
  return { target, input: input.name, output: output.name, type, inner, outer };
}

/** Numbers in [0, 1) that follow from a seed (mulberry32). */
function uniform(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
