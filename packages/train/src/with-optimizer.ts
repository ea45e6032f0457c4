import type { WeightTensor } from "@pt2/format";
import { type Arg, type InputSpec, isGradient, type OutputSpec, type Program, type TensorType } from "@pt2/graph";
import { eliminateDeadCode, GraphBuilder } from "@pt2/graph/passes";
import { filledWeight } from "./memory-weight.ts";
import type { Optimizer } from "./optimizers.ts";
import { trainError } from "./train-errors.ts";
import { typeOf, UpdateBuilder, type Value } from "./update-builder.ts";

/** The parameters that share a learning rate. */
export interface ParameterGroup {
  readonly names: readonly string[];
  readonly lr: number;
  readonly weightDecay: number;
}

/** What a training program is made of. */
export interface TrainingOptions {
  readonly optimizer: Optimizer;
  readonly groups: readonly ParameterGroup[];
  /** The largest norm of all gradients together; null leaves them. */
  readonly clipNorm: number | null;
  /** The largest magnitude of an element of a gradient; null leaves them. */
  readonly clipValue: number | null;
  /** The number of steps whose gradients are averaged for one update. */
  readonly accumulate: number;
  /** Replaces complex numbers by their parts; there where parameters have some. */
  readonly inReal?: (trained: Trained, options: TrainingOptions, u: UpdateBuilder) => Trained;
}

/** What the numbers of a step are. */
export type Precision = "float32" | "float64";

/** A program whose runs train it. */
export interface TrainingProgram {
  readonly program: Program;
  /** The state of the optimizer as it begins. */
  readonly state: ReadonlyMap<string, WeightTensor>;
  /** What the numbers are that each run gets: float64 where parameters are. */
  readonly precision: Precision;
}

/** The name of the input that has the numbers of a step. */
const NUMBERS = "optimizer";
const FRESH = "fresh";
const APPLY = "apply";

/**
 * Turns a program of forward and backward into one that updates its parameters: gradients are no longer returned, they
 * become writes to parameters and to the optimizer's state, which is kept in buffers. A run gets one more input, a
 * vector of the numbers of its step.
 */
export function withOptimizer(joint: Program, options: TrainingOptions): TrainingProgram {
  const { optimizer, groups, clipNorm, clipValue, accumulate, inReal } = options;
  const { graph } = joint;
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) builder.push(node);
  const u = new UpdateBuilder(builder);
  const trained = trainedParameters(joint, groups).map((each) => inReal?.(each, options, u) ?? each);
  const names = numberNames(options);
  const precision = trained.some(({ parameter }) => parameter.dtype === "float64") ? "float64" : "float32";
  const vector: Value = { name: builder.fresh(NUMBERS), dtype: precision, shape: [names.length] };
  const number = (name: string): Value => {
    const index = { kind: "int", value: names.indexOf(name) } as const;
    return u.op(
      "aten::select.int",
      { self: vector, dim: { kind: "int", value: 0 }, index },
      { dtype: precision, shape: [] },
    );
  };
  const isTrue = (name: string): Value =>
    u.op("aten::gt.Scalar", { self: number(name), other: { kind: "float", value: 0 } }, { dtype: "bool", shape: [] });

  const state = new Map<string, WeightTensor>();
  const inputs: InputSpec[] = [];
  const writes: { readonly spec: OutputSpec; readonly value: string }[] = [];
  const buffer = (target: string, like: Value, first: number): Value => {
    const value: Value = { ...like, name: builder.fresh(target.replaceAll(/\W/g, "_")) };
    state.set(target, filledWeight(target, like.dtype, like.shape, first));
    inputs.push({ kind: "buffer", value: value.name, target, persistent: true });
    builder.setType(value.name, typeOf(value));
    return value;
  };
  const store = (target: string, value: Value): void => {
    writes.push({ spec: { kind: "buffer_mutation", target }, value: value.name });
  };

  const [fresh, apply] = accumulate > 1 ? [isTrue(FRESH), isTrue(APPLY)] : [null, null];
  const whole = trained.map(({ parameter, gradient, target }) => {
    if (fresh === null) return gradient;
    const part = u.mul(gradient, 1 / accumulate);
    const before = buffer(`optimizer.accumulated.${target}`, parameter, 0);
    const sum = u.where(fresh, part, u.add(before, part));
    store(`optimizer.accumulated.${target}`, sum);
    return sum;
  });
  const norm = clipNorm === null ? null : normOf(whole, u);
  const scaled = norm === null ? whole : clip(whole, norm, clipNorm!, u);
  const limited = clipValue === null ? scaled : scaled.map((each) => u.clamp(each, -clipValue, clipValue));
  const gradients = optimizer.maximize === true ? limited.map((each) => u.mul(each, -1)) : limited;

  const byGroup = groups.map((_, g) =>
    Object.fromEntries(Object.keys(optimizer.numbers(0, 0, 1)).map((name) => [name, number(`${name}.${g}`)])),
  );
  for (const [i, { parameter, target, group, complex }] of trained.entries()) {
    const kept = Object.entries(optimizer.state).map(
      ([name, first]) => [name, buffer(`optimizer.${name}.${target}`, parameter, first)] as const,
    );
    const before = Object.fromEntries(kept);
    const updated = optimizer.update(
      { parameter, gradient: gradients[i]!, state: before, numbers: byGroup[group]! },
      u,
    );
    const chosen = (after: Value, old: Value): Value => (apply === null ? after : u.where(apply, after, old));
    for (const [name, old] of kept) store(`optimizer.${name}.${target}`, chosen(updated.state[name]!, old));
    const made = chosen(updated.parameter, parameter);
    const after = complex === undefined ? made : u.op("aten::view_as_complex", { self: made }, complex);
    writes.push({ spec: { kind: "parameter_mutation", target }, value: after.name });
  }
  builder.setType(vector.name, typeOf(vector));
  return { program: finished(joint, builder, { vector, inputs, writes, norm }), state, precision };
}

/** The names of the numbers of a step: those of each group, and whether gradients are collected or applied. */
function numberNames({ optimizer, groups, accumulate }: TrainingOptions): readonly string[] {
  const own = Object.keys(optimizer.numbers(0, 0, 1));
  const all = groups.flatMap((_, g) => own.map((name) => `${name}.${g}`));
  return accumulate > 1 ? [...all, FRESH, APPLY] : all;
}

/** Computes the numbers of a step in the order of the names; `micro` counts from 0. */
export function stepNumbers(
  { optimizer, groups, accumulate }: TrainingOptions,
  step: number,
  micro: number,
  factor: number,
): readonly number[] {
  const all = groups.flatMap(({ lr, weightDecay }) => Object.values(optimizer.numbers(lr * factor, weightDecay, step)));
  const flags = accumulate > 1 ? [micro === 0 ? 1 : 0, micro === accumulate - 1 ? 1 : 0] : [];
  return [...all, ...flags];
}

/** A parameter that is trained. */
export interface Trained {
  readonly target: string;
  readonly group: number;
  readonly parameter: Value;
  readonly gradient: Value;
  /** The parameter itself, where `parameter` has its real and imaginary parts. */
  readonly complex?: Value;
}

function trainedParameters({ graph, inputs, outputs }: Program, groups: readonly ParameterGroup[]): readonly Trained[] {
  const placeholders = new Map(
    inputs.flatMap((spec) => (spec.kind === "parameter" ? [[spec.target, spec.value] as const] : [])),
  );
  const results = (kind: "gradient_to_parameter" | "parameter_mutation"): ReadonlyMap<string, string> =>
    new Map(
      outputs.flatMap((spec, i) => {
        const arg = graph.outputs[i]!;
        return spec.kind === kind && arg.kind === "value" ? [[spec.target, arg.name] as const] : [];
      }),
    );
  const gradients = results("gradient_to_parameter");
  // What the program itself writes to a parameter comes before the update, as where an embedding limits its norms.
  const written = results("parameter_mutation");
  return groups.flatMap(({ names }, group) =>
    names.map((target): Trained => {
      const [value, gradient] = [written.get(target) ?? placeholders.get(target), gradients.get(target)];
      const type = value === undefined ? undefined : graph.values.get(value);
      if (value === undefined || gradient === undefined || type?.kind !== "tensor") {
        throw trainError("train.parameters", {
          what: `The program has no gradient of \`${target}\``,
          advice: `It has gradients of ${[...gradients.keys()].slice(0, 10).join(", ")}.`,
          details: { name: target },
        });
      }
      const { dtype, shape } = type as TensorType & { readonly shape: readonly number[] };
      return { target, group, parameter: { name: value, dtype, shape }, gradient: { name: gradient, dtype, shape } };
    }),
  );
}

/** The norm of all gradients together, as `torch.nn.utils.clip_grad_norm_` computes it. */
function normOf(gradients: readonly Value[], u: UpdateBuilder): Value {
  const dtypes = new Set(gradients.map(({ dtype }) => dtype));
  // Narrow numbers of two kinds, and numbers of two widths, are joined in the wider.
  const dtype = dtypes.size === 1 ? gradients[0]!.dtype : dtypes.has("float64") ? "float64" : "float32";
  const scalar = { dtype, shape: [] };
  const norms = gradients.map((self) => u.op("aten::linalg_vector_norm", { self }, { ...scalar, dtype: self.dtype }));
  const tensors: Arg = { kind: "list", items: norms.map(({ name }) => ({ kind: "value", name })) };
  const stacked = u.op("aten::stack", { tensors }, { dtype: scalar.dtype, shape: [norms.length] });
  return u.op("aten::linalg_vector_norm", { self: stacked }, scalar);
}

function clip(gradients: readonly Value[], norm: Value, most: number, u: UpdateBuilder): readonly Value[] {
  const ratio = u.op("aten::reciprocal", { self: u.add(norm, 1e-6) }, norm);
  const factor = u.clamp(u.mul(ratio, most), null, 1);
  return gradients.map((gradient) => u.mul(gradient, factor));
}

interface Parts {
  readonly vector: Value;
  readonly inputs: readonly InputSpec[];
  readonly writes: readonly { readonly spec: OutputSpec; readonly value: string }[];
  readonly norm: Value | null;
}

function finished(joint: Program, builder: GraphBuilder, { vector, inputs, writes, norm }: Parts): Program {
  const { graph } = joint;
  const updated = new Set(writes.flatMap(({ spec }) => (spec.kind === "parameter_mutation" ? [spec.target] : [])));
  const isOver = (spec: OutputSpec): boolean =>
    isGradient(spec) || (spec.kind === "parameter_mutation" && updated.has(spec.target));
  const kept = joint.outputs.flatMap((spec, i) => (isOver(spec) ? [] : [{ spec, arg: graph.outputs[i]! }]));
  const written = writes.map(({ spec, value }) => ({ spec, arg: { kind: "value", name: value } as const }));
  const norms =
    norm === null ? [] : [{ spec: { kind: "user_output" } as const, arg: { kind: "value", name: norm.name } as const }];
  const outputs = [...written, ...kept, ...norms];
  const built = builder.build(outputs.map(({ arg }) => arg));
  const added = inputs.flatMap((spec) => ("value" in spec && spec.value !== null ? [spec.value] : []));
  const values = new Map(built.values);
  for (const name of [...added, vector.name]) values.set(name, builder.typeOf(name)!);
  return eliminateDeadCode(
    {
      ...joint,
      graph: { ...built, inputs: [...added, ...graph.inputs, vector.name], values },
      inputs: [...inputs, ...joint.inputs, { kind: "user_input", value: vector.name }],
      outputs: outputs.map(({ spec }) => spec),
      // Calls pass leaves: the numbers come behind what the module takes.
      inSpec: null,
      outSpec: null,
    },
    { isPure: ({ op }) => op.startsWith("aten::") && !/rand|dropout|bernoulli|normal|multinomial|_assert/.test(op) },
  );
}
