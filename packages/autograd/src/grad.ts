import type { WeightTensor } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import {
  type Bindings,
  bindSymbols,
  evaluateSize,
  type GivenShape,
  type InputSpec,
  inputNames,
  isReturned,
  type OutputSpec,
  type Program,
  requireProgram,
  type SymInt,
} from "@pt2/graph";
import type { ArgValue, OpRegistry, OpSet, TensorMeta } from "@pt2/registry";
import { atenOnDemand, builtInRegistry, loading } from "@pt2/registry/on-demand";
import { autogradError } from "./autograd-errors.ts";
import { isComplex, isDifferentiable } from "./differentiable.ts";
import { Differentiation, type GraphInputs } from "./differentiation.ts";
import { prepareForGrad } from "./prepare-for-grad.ts";
import { tieParameters } from "./tied-parameters.ts";

/** Options of {@link grad}. */
export interface GradOptions {
  /**
   * The position of the loss among the leaves of the result: a floating point tensor of one element.
   * @default the only such leaf
   */
  readonly of?: number;
  /**
   * The names of parameters, such as `layers.0.weight`, and of inputs. @default every parameter of
   * floating point or complex numbers
   */
  readonly wrt?: readonly string[];
  /** The shapes of inputs whose sizes are not numbers in the program, by the name of the input. */
  readonly shapes?: Readonly<Record<string, readonly number[]>>;
  /**
   * The weights by name, as an archive has them: parameters that share memory are then one, whose gradient is the sum
   * over all uses; it has the name of the first.
   */
  readonly weights?: ReadonlyMap<string, WeightTensor>;
  /** Op sets in addition to `aten`: gradients flow through the `gradient` or `decompose` rules of their ops. */
  readonly ops?: readonly OpSet[];
  /**
   * Whether results of elementwise ops and views are computed again for their gradients, where that takes nothing else
   * than one more pass over memory, instead of being kept. @default true
   */
  readonly recompute?: boolean;
}

const OPTIONS: Readonly<Record<keyof GradOptions, string>> = {
  of: "number",
  wrt: "array",
  shapes: "object",
  weights: "Map",
  ops: "array",
  recompute: "boolean",
};

/**
 * Differentiates a program in reverse mode: returns the program that computes the same, and then the gradients of its
 * loss. The signature is that of `torch.export.experimental._export_forward_backward`: the loss is a `loss_output`,
 * gradients are outputs to parameters and to user inputs, and `step` of a loaded model returns them. The result consists
 * of PyTorch's own ops, and its sizes are numbers.
 *
 * Throws `autograd.no-gradient` for an op without a rule between parameters and loss, with its place in Python.
 */
export async function grad(program: Program, options: GradOptions = {}): Promise<Program> {
  requireProgram("grad()", program, "autograd.options");
  requireOptions("grad()", options, OPTIONS, "autograd.options");
  const { ops = [] } = options;
  const registry =
    ops.length === 0 ? builtInRegistry(atenOnDemand) : (await import("./registry-with.ts")).registryWith(ops);
  const { program: tied } = tieParameters(program, options.weights ?? new Map());
  const prepared = await prepareForGrad(tied, registry);
  await registry.load(ops.length > 0 ? "all" : prepared.graph.nodes.map(({ op }) => op));
  const given = inputsOf(prepared, options.shapes ?? {});
  const wrt = targetsOf(prepared, given.inputs, options.wrt);
  const returned = prepared.outputs.flatMap((spec, i) => (isReturned(spec) ? [i] : []));
  return await loading(() => differentiated(prepared, registry, { ...options, given, wrt, returned }));
}

/** A placeholder that a gradient is taken of. */
interface Target {
  readonly value: string;
  readonly spec: OutputSpec;
}

interface Request {
  readonly given: GraphInputs;
  readonly wrt: readonly Target[];
  /** The positions of what the program returns among the outputs of its graph. */
  readonly returned: readonly number[];
  readonly of?: number;
  readonly recompute?: boolean;
}

function differentiated(program: Program, registry: OpRegistry, request: Request): Program {
  const { given, wrt, returned, of, recompute = true } = request;
  const { graph } = program;
  const work = new Differentiation(
    registry,
    graph,
    given,
    wrt.map(({ value }) => value),
  );
  work.forward();
  const values = graph.outputs.map((arg) => (arg.kind === "value" || arg.kind === "list" ? work.valueOf(arg) : null));
  const at = lossAt(values, returned, of);
  work.backward(values[at] as TensorMeta);
  const gradients = wrt.map(({ value }) => work.gradientOf(value));
  const forward = graph.outputs.map((arg, i) => (values[i] === null ? arg : work.argOf(values[i]!)));
  const outputs = program.outputs.map(
    (spec, i): OutputSpec => (i === at ? { kind: "loss_output" } : isReturned(spec) ? { kind: "user_output" } : spec),
  );
  return {
    ...program,
    graph: work.build([...forward, ...gradients.map((gradient) => work.argOf(gradient))], recompute),
    outputs: [...outputs, ...wrt.map(({ spec }) => spec)],
    ranges: new Map(),
    // Gradients of an earlier differentiation are plain results now, beyond the module's own.
    outSpec: program.outputs.some(({ kind }) => kind.startsWith("gradient_")) ? null : program.outSpec,
  };
}

/** Returns the position of the loss among the outputs of the graph. */
function lossAt(values: readonly (ArgValue | null)[], returned: readonly number[], of: number | undefined): number {
  const isLoss = (value: ArgValue | null | undefined): boolean =>
    isDifferentiable(value) && !isComplex(value) && value.shape.every((size) => size === 1);
  const found = returned.filter((i) => isLoss(values[i]));
  const at = of === undefined ? (found.length === 1 ? found[0] : undefined) : returned[of];
  if (at !== undefined && isLoss(values[at])) return at;
  throw autogradError("autograd.of", {
    what: noLossText(found.length, of),
    advice:
      found.length > 1
        ? "Say which one is the loss: `of` is its position among the results."
        : "Add a loss to the program with withLoss, or export a module that returns it.",
  });
}

function noLossText(found: number, of: number | undefined): string {
  if (of !== undefined) return `Result ${of} of the program is not one floating point number`;
  if (found === 0) return "No result of the program is one floating point number, as a loss is";
  return `${found} results of the program are one floating point number each, and one of them has to be the loss`;
}

/** Returns the metas of tensors that the program is called with. */
function inputsOf(program: Program, shapes: GradOptions["shapes"] & object): GraphInputs {
  const { inputs, graph } = program;
  const names = namesOfInputs(program);
  const given = new Map<string, GivenShape>();
  for (const [name, shape] of Object.entries(shapes)) {
    const value = names.get(name);
    if (value === undefined) throw unknownName(name, [...names.keys()], "an input");
    given.set(value, shape);
  }
  const bindings = bindSymbols(program, given);
  const entries = inputs.flatMap((spec: InputSpec): readonly (readonly [string, ArgValue])[] => {
    if (!("value" in spec) || spec.value === null) return [];
    const type = graph.values.get(spec.value);
    if (type?.kind === "tensor") {
      const shape = type.shape.map((size) => sizeOf(size, bindings, nameOf(names, spec.value!)));
      return [[spec.value, { dtype: type.dtype, shape }]];
    }
    return [];
  });
  return { inputs: new Map(entries), bindings };
}

function sizeOf(size: SymInt, bindings: Bindings, name: string): number {
  if (typeof size === "number") return size;
  try {
    return evaluateSize(size, bindings);
  } catch (cause) {
    throw autogradError("autograd.sizes", {
      what: `The shape of input \`${name}\` is not fixed in the program`,
      advice: `Give it: shapes: { ${name}: [8, …] }.`,
      details: { name },
      cause,
    });
  }
}

function namesOfInputs(program: Program): ReadonlyMap<string, string> {
  const { inSpec, forwardArgs, namedTuples } = program;
  const names = inSpec === null ? [] : inputNames(inSpec, forwardArgs, namedTuples);
  const leaves = program.inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input");
  return new Map(
    leaves.flatMap((spec, i) =>
      spec.kind === "user_input" && spec.value !== null ? [[names[i] ?? spec.value, spec.value] as const] : [],
    ),
  );
}

function nameOf(names: ReadonlyMap<string, string>, value: string): string {
  return [...names].find(([, each]) => each === value)?.[0] ?? value;
}

function targetsOf(
  program: Program,
  inputs: ReadonlyMap<string, ArgValue>,
  wrt: readonly string[] | undefined,
): readonly Target[] {
  const { inputs: specs } = program;
  const isTarget = (value: string): boolean => isDifferentiable(inputs.get(value));
  const parameters = specs.flatMap((spec): readonly (readonly [string, Target])[] => {
    if (spec.kind !== "parameter" || !isTarget(spec.value)) return [];
    const { value, target } = spec;
    return [[target, { value, spec: { kind: "gradient_to_parameter", target } }]];
  });
  if (wrt === undefined) return parameters.map(([, target]) => target);
  const users = [...namesOfInputs(program)].flatMap(([name, value]): readonly (readonly [string, Target])[] =>
    isTarget(value) ? [[name, { value, spec: { kind: "gradient_to_user_input", target: value } }]] : [],
  );
  const known = new Map([...users, ...parameters]);
  return wrt.map((name) => {
    const target = known.get(name);
    if (target === undefined) throw unknownName(name, [...known.keys()], "a floating point parameter or input");
    return target;
  });
}

function unknownName(name: string, known: readonly string[], what: string): Error {
  return autogradError("autograd.wrt", {
    what: `\`${name}\` is not ${what} of the program`,
    advice: `It has ${known.slice(0, 20).join(", ")}${known.length > 20 ? `, and ${known.length - 20} more` : ""}.`,
    details: { name },
  });
}
