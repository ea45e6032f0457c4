import type { DType } from "@pt2/format";
import {
  type Arg,
  type InputSpec,
  inputNames,
  isGradient,
  isModuleResult,
  leafNames,
  type Program,
  printSym,
  requireProgram,
  type SymInt,
  type ValueType,
} from "@pt2/graph";

/** A value that was fixed at export. */
export type Constant = number | bigint | boolean | string | null;

/** The type of a leaf of the inputs or outputs. */
export type LeafType =
  /** A symbolic size is the text of an expression over symbols, such as `s77` or `2*s0 + 1`. */
  | { readonly kind: "tensor"; readonly dtype: DType; readonly shape: readonly (number | string)[] }
  | { readonly kind: "int" | "float" | "bool" }
  | { readonly kind: "constant"; readonly value: Constant }
  | { readonly kind: "object"; readonly className: string };

/** A leaf of the inputs or outputs. */
export interface LeafInfo {
  /** The leaf's access path in Python: `pair.left`, `boxes[0]`; `output` where the program returns a single value. */
  readonly name: string;
  /** The name in the graph; null for leaves without a value there. */
  readonly value: string | null;
  /** Its dtype and sizes, or the kind of number that it is. */
  readonly type: LeafType;
}

/** A leaf of the result: of the module's return value, or the gradient of its loss with respect to an input. */
export interface OutputInfo extends LeafInfo {
  /** What it is to the program; all but `user_output` are of programs of forward and backward. */
  readonly kind: "user_output" | "loss_output" | "gradient_to_parameter" | "gradient_to_user_input";
}

/** Returns the leaves of a call, in flattened order. */
export function inputsOf(program: Program): readonly LeafInfo[] {
  requireProgram("inputsOf()", program);
  const leaves = program.inputs.flatMap((spec) => leafOfInput(program, spec) ?? []);
  const { inSpec, forwardArgs, namedTuples } = program;
  const names = inSpec === null ? [] : inputNames(inSpec, forwardArgs, namedTuples);
  return leaves.map((leaf, i) => ({ ...leaf, name: names[i] ?? leaf.name }));
}

/** Returns the leaves of the result, in flattened order; a gradient has its name in Python: `layers.0.weight.grad`. */
export function outputsOf(program: Program): readonly OutputInfo[] {
  requireProgram("outputsOf()", program);
  const { outSpec, namedTuples, graph, outputs } = program;
  const names = outSpec === null ? [] : leafNames(outSpec, "output", namedTuples);
  const inputs = inputsOf(program);
  let leaves = 0;
  return outputs.flatMap((spec, i): readonly OutputInfo[] => {
    const leaf = leafOfOutput(program, graph.outputs[i]!);
    if (isModuleResult(spec)) {
      const at = leaves++;
      return [{ ...leaf, kind: spec.kind, name: names[at] ?? `output[${at}]` }];
    }
    if (!isGradient(spec)) return [];
    const { kind, target } = spec;
    const input = kind === "gradient_to_user_input" ? inputs.find(({ value }) => value === target) : undefined;
    return [{ ...leaf, kind, name: `${input?.name ?? target}.grad` }];
  });
}

/** Formats a type: `float32 [s77, 3]`, `int`, `the constant 3`. */
export function describeType(type: LeafType): string {
  switch (type.kind) {
    case "tensor":
      return `${type.dtype} [${type.shape.join(", ")}]`;
    case "constant":
      return `the constant ${printConstant(type.value)}`;
    case "object":
      return `an object of ${type.className}`;
    default:
      return type.kind;
  }
}

/** Formats a constant as Python does. */
export function printConstant(value: Constant): string {
  if (value === null) return "None";
  if (typeof value === "boolean") return value ? "True" : "False";
  return typeof value === "string" ? JSON.stringify(value) : String(value);
}

function leafOfInput({ graph }: Program, spec: InputSpec): LeafInfo | undefined {
  if (spec.kind === "constant_input") {
    return { name: spec.name, value: null, type: { kind: "constant", value: constantOf(spec.constant) } };
  }
  if (spec.kind !== "user_input") return undefined;
  if (spec.value === null) return { name: "", value: null, type: { kind: "constant", value: null } };
  return { name: spec.value, value: spec.value, type: typeOf(graph.values.get(spec.value)) };
}

function leafOfOutput({ graph }: Program, arg: Arg): Omit<LeafInfo, "name"> {
  if (arg.kind === "value") return { value: arg.name, type: typeOf(graph.values.get(arg.name)) };
  return { value: null, type: { kind: "constant", value: constantOf(arg) } };
}

function constantOf(arg: Arg): Constant {
  if (arg.kind === "int" || arg.kind === "float" || arg.kind === "bool" || arg.kind === "string") return arg.value;
  return null;
}

function typeOf(type: ValueType | undefined): LeafType {
  switch (type?.kind) {
    case "tensor":
      return { kind: "tensor", dtype: type.dtype, shape: type.shape.map(printSize) };
    case "symint":
      return { kind: "int" };
    case "symfloat":
      return { kind: "float" };
    case "symbool":
      return { kind: "bool" };
    default:
      return { kind: "object", className: type?.className ?? "unknown" };
  }
}

function printSize(size: SymInt): number | string {
  return typeof size === "number" ? size : printSym(size);
}
