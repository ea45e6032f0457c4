import type { DType } from "@pt2/format";
import {
  type Arg,
  argOf,
  definitionsOf,
  type Graph,
  type NamedArg,
  type Node,
  type OpName,
  type Program,
  type TensorType,
  usesOf,
} from "@pt2/graph";
import { eliminateDeadCode, GraphBuilder, renameOutput, Substitution } from "@pt2/graph/passes";
import type { OpRecord } from "@pt2/registry";
import { fixedInputs } from "./fixed-inputs.ts";
import { type Layer, LINEAR_HALF, layerOf } from "./half-layer.ts";
import { NONE } from "./literals.ts";
import type { RewriteTarget } from "./target.ts";
import { transposed } from "./types.ts";

/** What the pass has to know besides. */
export interface WideningTarget extends RewriteTarget {
  /**
   * Which dtypes of half precision are computed in float32: `always`, or `between products` by devices that multiply them,
   * in programs of more products than convolutions. @default none
   */
  readonly widened?: ReadonlyMap<DType, "always" | "between products"> | undefined;
  /** The op that makes a weight float32. @default `aten::to.dtype` */
  readonly widensWeight?: OpName | undefined;
  /** Whether linear layers read fixed weights in half precision, by `pt2::linear_half`. */
  readonly readsHalves?: boolean;
  /** Returns what an op means, if the program's registry has it. */
  recordOf(op: OpName): Pick<OpRecord, "view"> | undefined;
}

/**
 * Computes in float32 what a program with products or convolutions computes in half precision, which few processors
 * multiply. What ops pass on to each other is not rounded; inputs, outputs and conversions that the program makes are in
 * its own dtypes, and so is what other ops read.
 */
export function widenHalves(program: Program, target: WideningTarget): Program {
  const dtypes = dtypesIn(program, target);
  if (dtypes.size === 0) return program;
  const graph = new Widening(program, target, dtypes).run();
  if (graph === program.graph) return program;
  return eliminateDeadCode({ ...program, graph }, { isPure: (node) => target.isPure(node) });
}

/** The dtypes that are to be computed in float32. */
function dtypesIn({ graph }: Program, { widened = new Map() }: WideningTarget): ReadonlySet<DType> {
  const used = new Set([...graph.values.values()].flatMap((type) => (type.kind === "tensor" ? [type.dtype] : [])));
  const count = (ops: ReadonlySet<OpName>): number => graph.nodes.filter(({ op }) => ops.has(op)).length;
  const [products, convolutions] = [count(PRODUCTS), count(CONVOLUTIONS)];
  // What PyTorch computes element by element it computes in float32 already.
  if (products + convolutions === 0) return new Set();
  const isOfProducts = products > convolutions;
  return new Set([...used].filter((dtype) => widened.get(dtype) === "always" || (widened.has(dtype) && isOfProducts)));
}

const FLOAT32: Arg = { kind: "dtype", value: "float32" };

class Widening {
  readonly #graph: Graph;
  readonly #target: WideningTarget;
  readonly #dtypes: ReadonlySet<DType>;
  readonly #builder: GraphBuilder;
  /** The float32 forms of values in half precision that have one. */
  readonly #wide = new Substitution();
  /** Weights, and what only moves their elements. */
  readonly #fixed: Set<string>;
  /** What gives another shape to values in half precision that are no weights. */
  readonly #reshapes = new Map<string, Node>();

  constructor(program: Program, target: WideningTarget, dtypes: ReadonlySet<DType>) {
    const { graph } = program;
    this.#graph = graph;
    this.#fixed = new Set(fixedInputs(program));
    this.#target = target;
    this.#dtypes = dtypes;
    this.#builder = new GraphBuilder(graph);
  }

  run(): Graph {
    for (const node of this.#graph.nodes) {
      if (this.#computesWide(node)) this.#widen(node);
      else this.#keep(node);
    }
    if (this.#wide.size === 0) return this.#graph;
    return this.#builder.build(this.#graph.outputs);
  }

  #computesWide(node: Node): boolean {
    const halves = usesOf(node).filter((name) => this.#isHalf(name));
    if (halves.length === 0 || this.#target.isClaimed(node.op) || !this.#target.isPure(node)) return false;
    // Whether PyTorch refuses to compute nothing depends on the dtype.
    if (definitionsOf(node).some((name) => this.#typeOf(name)?.shape.includes(0))) return false;
    // What only moves elements need not be converted for it; what repeats them has fewer before.
    if (REPEATS.has(node.op)) return !halves.every((name) => this.#fixed.has(name));
    return this.#moves(node)
      ? halves.every((name) => this.#wide.has(name)) && !halves.every((name) => this.#fixed.has(name))
      : COMPUTES.has(node.op) && !isScaledByZero(node);
  }

  #moves({ op }: Node): boolean {
    return MOVES.has(op) || this.#target.recordOf(op)?.view !== undefined;
  }

  #keep(node: Node): void {
    this.#builder.push(node);
    if (!this.#moves(node) || !this.#target.isPure(node) || this.#target.isClaimed(node.op)) return;
    const used = usesOf(node);
    if (used.length > 0 && used.every((name) => this.#fixed.has(name))) {
      for (const name of definitionsOf(node)) this.#fixed.add(name);
    } else if (RESHAPES.has(node.op) && this.#isHalf(used[0]!)) this.#reshapes.set(definitionsOf(node)[0]!, node);
  }

  /** Computes a node in float32, and its results in half precision from that, for those that read them so. */
  #widen(node: Node): void {
    const layer = this.#target.readsHalves === true ? layerOf(node, (arg) => this.#fixedHalf(arg)) : null;
    for (const name of usesOf(node)) {
      if (this.#isHalf(name) && !this.#wide.has(name) && name !== layer?.weight) this.#convert(name, node);
    }
    const results = definitionsOf(node).filter((name) => this.#isHalf(name));
    const wide = new Map(results.map((name) => [name, this.#declareWide(name)]));
    const { args } = this.#wide.node(node);
    this.#builder.push({
      ...node,
      ...(layer === null
        ? { args: args.map((arg) => widenedArg(arg, this.#dtypes)) }
        : { op: LINEAR_HALF, args: this.#layerArgs(layer, args, node), origin: joinedOrigin(node) }),
      outputs: node.outputs.map((output) => renameOutput(output, (name) => wide.get(name) ?? name)),
    });
    for (const [name, from] of wide) {
      const dtype: Arg = { kind: "dtype", value: this.#typeOf(name)!.dtype };
      this.#push(name, "aten::to.dtype", { self: { kind: "value", name: from }, dtype }, node);
    }
  }

  /** The arguments of a linear layer that reads its weight as it is, from those of a node in float32. */
  #layerArgs({ weight, isTransposed, names }: Layer, args: readonly NamedArg[], like: Node): readonly NamedArg[] {
    const [input, bias] = names.map((name) => args.find((each) => each.name === name)?.arg);
    let matrix: Arg = { kind: "value", name: weight };
    if (isTransposed) {
      const name = this.#builder.fresh(weight);
      this.#builder.setType(name, transposed(this.#typeOf(weight)!));
      this.#push(name, "aten::t", { self: matrix }, like);
      this.#fixed.add(name);
      matrix = { kind: "value", name };
    }
    return [
      { name: "input", arg: input! },
      { name: "weight", arg: matrix },
      { name: "bias", arg: bias ?? NONE },
    ];
  }

  /** The type of a fixed matrix in half precision. */
  #fixedHalf(arg: Arg | undefined): TensorType | undefined {
    if (arg?.kind !== "value" || !this.#isHalf(arg.name) || !this.#fixed.has(arg.name)) return undefined;
    return this.#typeOf(arg.name);
  }

  /** Emits the float32 form of a value that was not computed so; that of another shape is made of what had the first one. */
  #convert(name: string, like: Node): void {
    const reshape = this.#reshapes.get(name);
    if (reshape !== undefined) {
      const source = usesOf(reshape)[0]!;
      if (!this.#wide.has(source)) this.#convert(source, like);
      const { args } = this.#wide.node(reshape);
      const to = this.#declareWide(name);
      const outputs = [{ kind: "value", name: to }] as const;
      this.#builder.push({ ...reshape, name: this.#builder.fresh(reshape.name), args, outputs });
      return;
    }
    const op = this.#fixed.has(name) ? this.#target.widensWeight : undefined;
    const self: Arg = { kind: "value", name };
    const to = this.#declareWide(name);
    if (op === undefined) this.#push(to, "aten::to.dtype", { self, dtype: FLOAT32 }, like);
    else this.#push(to, op, { weight: self }, like);
  }

  /** Returns the name of a value's float32 form, which nothing computes yet. */
  #declareWide(name: string): string {
    const wide = this.#builder.fresh(name);
    this.#builder.setType(wide, { ...this.#typeOf(name)!, dtype: "float32" });
    this.#wide.bind(name, { kind: "value", name: wide });
    return wide;
  }

  /** Appends a conversion, which profiles name after the node that it is made for. */
  #push(result: string, op: OpName, args: Readonly<Record<string, Arg>>, like: Node): void {
    const named = Object.entries(args).map(([key, arg]) => ({ name: key, arg }));
    const name = this.#builder.fresh(op.slice(op.indexOf("::") + 2).split(".")[0]!);
    const outputs = [{ kind: "value", name: result }] as const;
    this.#builder.push({ name, op, args: named, outputs, origin: joinedOrigin(like) });
  }

  #typeOf(name: string): TensorType | undefined {
    const type = this.#builder.typeOf(name);
    return type?.kind === "tensor" ? type : undefined;
  }

  #isHalf(name: string): boolean {
    const dtype = this.#typeOf(name)?.dtype;
    return dtype !== undefined && this.#dtypes.has(dtype);
  }
}

/** The origin of a node that another one is made for. */
function joinedOrigin({ op, name, origin }: Node): Node["origin"] {
  return { ...origin, joined: [{ op, name }] };
}

/** Whether a product is left out, infinite or not: that depends on the dtype. */
function isScaledByZero(node: Node): boolean {
  return ["alpha", "beta"].some((name) => {
    const factor = argOf(node, name);
    return (factor?.kind === "int" || factor?.kind === "float") && Number(factor.value) === 0;
  });
}

/** An argument of an op that computes in float32. */
function widenedArg({ name, arg }: NamedArg, dtypes: ReadonlySet<DType>): NamedArg {
  if (arg.kind === "dtype" && dtypes.has(arg.value)) return { name, arg: FLOAT32 };
  // It is for operands in half precision.
  return name === "half_to_float" ? { name, arg: { kind: "bool", value: false } } : { name, arg };
}

/** The ops of ATen with these names. */
function atenOps(...names: readonly string[]): ReadonlySet<OpName> {
  return new Set(names.map((name) => `aten::${name}`));
}

/** Ops besides views that move elements as they are. */
const MOVES = atenOps(
  ...["cat", "stack", "contiguous", "clone", "reshape", "flatten.using_ints", "roll", "flip"],
  ...["split.Tensor", "split_with_sizes", "chunk", "unbind.int", "tensor_split.sections"],
  ...["index.Tensor", "index_select", "gather", "embedding"],
  ...["pad", "constant_pad_nd", "reflection_pad1d", "reflection_pad2d", "replication_pad1d", "replication_pad2d"],
  ...["pixel_shuffle", "pixel_unshuffle", "channel_shuffle", "upsample_nearest1d", "upsample_nearest2d"],
  ...["upsample_nearest1d.vec", "upsample_nearest2d.vec", "_upsample_nearest_exact2d"],
);

/** Ops that give elements another shape, and leave none out. */
const RESHAPES = atenOps("view", "reshape", "unsqueeze", "squeeze.dim", "transpose.int", "permute");

/** Ops that repeat elements. */
const REPEATS = atenOps("expand", "repeat", "repeat_interleave.self_int", "tile");

const CONVOLUTIONS = atenOps(
  ...["conv1d", "conv2d", "conv3d", "conv1d.padding", "conv2d.padding", "conv3d.padding", "convolution"],
  ...["conv_transpose1d", "conv_transpose2d.input", "conv_transpose3d.input"],
);

const PRODUCTS = atenOps(
  ...["linear", "matmul", "mm", "bmm", "addmm", "baddbmm", "mv", "einsum", "scaled_dot_product_attention"],
);

/**
 * Ops whose results follow from operands without jumps, so that those of float32, rounded, are as good as those of half
 * precision. Not among them is what compares, rounds, sorts or counts.
 */
const COMPUTES: ReadonlySet<OpName> = new Set([
  ...CONVOLUTIONS,
  ...PRODUCTS,
  ...atenOps(
    ...["add.Tensor", "add.Scalar", "sub.Tensor", "sub.Scalar", "rsub.Scalar", "mul.Tensor", "mul.Scalar"],
    ...["div.Tensor", "div.Scalar", "neg", "abs", "square", "sqrt", "rsqrt", "reciprocal"],
    ...["pow.Tensor_Scalar", "pow.Tensor_Tensor", "lerp.Scalar", "lerp.Tensor", "addcmul", "addcdiv"],
    ...["exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tan", "atan", "atan2", "erf", "tanh", "sigmoid"],
    ...["relu", "relu6", "hardtanh", "hardswish", "hardsigmoid", "leaky_relu", "elu", "selu", "celu", "silu", "mish"],
    ...["gelu", "softplus", "log_sigmoid", "softsign", "prelu", "_prelu_kernel", "glu", "logaddexp"],
    ...["clamp", "clamp_min", "clamp_max", "clamp.Tensor", "minimum", "maximum"],
    ...["where.self", "where.ScalarSelf", "where.ScalarOther", "masked_fill.Scalar", "masked_fill.Tensor"],
    ...["batch_norm", "_native_batch_norm_legit_no_training", "layer_norm", "native_layer_norm", "rms_norm"],
    ...["group_norm", "native_group_norm", "instance_norm"],
    ...["softmax.int", "_softmax", "_safe_softmax", "log_softmax.int", "_log_softmax"],
    ...["mean", "mean.dim", "sum", "sum.dim_IntList", "var.dim", "var.correction", "std.dim", "std.correction"],
    ...["amax", "amin", "linalg_vector_norm", "norm.ScalarOpt_dim", "cumsum"],
    ...["avg_pool1d", "avg_pool2d", "avg_pool3d", "adaptive_avg_pool1d", "adaptive_avg_pool2d", "_adaptive_avg_pool2d"],
    ...["adaptive_avg_pool3d", "max_pool1d", "max_pool2d", "max_pool3d"],
    ...["upsample_linear1d", "upsample_bilinear2d", "upsample_bilinear2d.vec", "upsample_bicubic2d"],
    ...["upsample_bicubic2d.vec", "upsample_trilinear3d", "grid_sampler", "grid_sampler_2d"],
  ),
]);
