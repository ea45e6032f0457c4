import { contiguousStrides, type TreeSpec } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import {
  type Arg,
  type InputSpec,
  isModuleResult,
  type NamedArg,
  type OpName,
  type Program,
  requireProgram,
  type TensorType,
} from "@pt2/graph";
import { GraphBuilder } from "@pt2/graph/passes";
import { autogradError } from "./autograd-errors.ts";

/** Options of {@link withLoss}. */
export interface LossOptions {
  /**
   * An op with arguments `self` and `target` that returns one number: a loss of PyTorch such as `aten::mse_loss`, or
   * one of an op set. @default "aten::cross_entropy_loss"
   */
  readonly loss?: OpName;
  /** Further arguments of the op, such as `label_smoothing`. */
  readonly args?: Readonly<Record<string, number | boolean>>;
  /** The position of the result that is compared with the target. @default 0 */
  readonly of?: number;
  /**
   * The type of the target. @default class indices for `cross_entropy_loss` and `nll_loss`, otherwise that of the result
   */
  readonly target?: Pick<TensorType, "dtype" | "shape">;
}

/** The name of the input that is added. */
const TARGET = "target";

const OPTIONS: Readonly<Record<keyof LossOptions, string>> = {
  loss: "string",
  args: "object",
  of: "number",
  target: "object",
};

const OF_CLASSES = /^aten::(cross_entropy_loss|nll_loss|nll_loss_nd|nll_loss2d)$/;

/**
 * Adds a loss to a program: it takes a further input, `target`, after all others, and returns `[loss, results]`, so that
 * {@link grad} can differentiate it.
 */
export function withLoss(program: Program, options: LossOptions = {}): Program {
  requireProgram("withLoss()", program, "autograd.options");
  requireOptions("withLoss()", options, OPTIONS, "autograd.options");
  const { loss: op = "aten::cross_entropy_loss", args = {}, of = 0 } = options;
  const { graph } = program;
  const compared = comparedOutput(program, of);
  const type = graph.values.get(compared) as TensorType;
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) builder.push(node);
  const target = builder.fresh(TARGET);
  builder.setType(target, targetType(op, type, options.target));
  const given = Object.entries(args).map(([name, value]): NamedArg => ({ name, arg: argOf(value) }));
  const [loss] = builder.emit({
    op,
    args: [
      { name: "self", arg: { kind: "value", name: compared } },
      { name: "target", arg: { kind: "value", name: target } },
      ...given,
    ],
    results: [{ name: "loss", type: { ...type, shape: [], strides: [], storageOffset: 0 } }],
    origin: {},
  });
  const at = positionOfTarget(program);
  const spec: InputSpec = { kind: "user_input", value: target };
  const first = program.outputs.findIndex(isModuleResult);
  const built = builder.build(inserted(graph.outputs, first, { kind: "value", name: loss! }));
  const type_ = builder.typeOf(target)!;
  return {
    ...program,
    graph: {
      ...built,
      inputs: inserted(graph.inputs, at, target),
      values: new Map([...built.values, [target, type_]]),
    },
    inputs: inserted(program.inputs, at, spec),
    outputs: inserted(program.outputs, first, { kind: "user_output" }),
    inSpec: program.inSpec && withArgument(program.inSpec, takesKeywords(program)),
    outSpec: program.outSpec && { type: "builtins.tuple", context: null, children: [LEAF, program.outSpec] },
    forwardArgs: withName(program),
  };
}

const LEAF: TreeSpec = { type: null, context: null, children: [] };

function comparedOutput({ graph, outputs }: Program, of: number): string {
  const results = graph.outputs.filter((_, i) => isModuleResult(outputs[i]!));
  const arg = results[of];
  if (arg?.kind === "value" && graph.values.get(arg.name)?.kind === "tensor") return arg.name;
  throw autogradError("autograd.of", {
    what: `Result ${of} of the program is not a tensor`,
    advice: `It has ${results.length} results; \`of\` is the position of the one that is compared with the target.`,
  });
}

function targetType(op: OpName, result: TensorType, given: LossOptions["target"]): TensorType {
  const { shape } = result;
  const classes = OF_CLASSES.test(op);
  const chosen = given ?? {
    dtype: classes ? ("int64" as const) : result.dtype,
    shape: classes ? (shape.length === 1 ? [] : [shape[0]!, ...shape.slice(2)]) : shape,
  };
  return { ...result, ...chosen, strides: stridesOf(chosen.shape, result), storageOffset: 0 };
}

/** The strides of a dense tensor; those of sizes that are not numbers are the result's. */
function stridesOf(shape: TensorType["shape"], { strides }: TensorType): TensorType["strides"] {
  const sizes = shape.filter((size) => typeof size === "number");
  return sizes.length === shape.length ? contiguousStrides(sizes) : shape.map((_, d) => strides[d] ?? 1);
}

function argOf(value: number | boolean): Arg {
  if (typeof value === "boolean") return { kind: "bool", value };
  return Number.isInteger(value) ? { kind: "int", value } : { kind: "float", value };
}

/** Returns whether `forward` is called with keywords: the target is then the last of them. */
function takesKeywords({ inSpec }: Program): boolean {
  return (inSpec?.children[1]?.children.length ?? 0) > 0;
}

/** Returns the place of the placeholder for the target, which comes after all other arguments. */
function positionOfTarget({ inputs }: Program): number {
  const last = inputs.findLastIndex(({ kind }) => kind === "user_input" || kind === "constant_input");
  return last < 0 ? inputs.length : last + 1;
}

function withArgument(spec: TreeSpec, isKeyword: boolean): TreeSpec {
  return {
    ...spec,
    children: spec.children.map((child, i) => {
      if (i !== (isKeyword ? 1 : 0)) return child;
      const context = isKeyword ? [...(child.context as readonly string[]), TARGET] : child.context;
      return { ...child, context, children: [...child.children, LEAF] };
    }),
  };
}

/** The names of `forward`'s parameters, with the target after those that are passed. */
function withName(program: Program): readonly string[] {
  const { forwardArgs, inSpec } = program;
  const at = takesKeywords(program) ? forwardArgs.length : inSpec?.children[0]?.children.length;
  return inserted(forwardArgs, at ?? forwardArgs.length, TARGET);
}

function inserted<T>(items: readonly T[], at: number, item: T): readonly T[] {
  return [...items.slice(0, at), item, ...items.slice(at)];
}
