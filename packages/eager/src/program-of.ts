import type { Value } from "@pt2/backend";
import type { Arg, InputSpec, NamedArg, Node, Output, Program, TensorType, ValueType } from "@pt2/graph";
import { bareProgram } from "@pt2/graph/passes";
import { contiguous, type OpRecord, type SchemaType } from "@pt2/registry";
import { argOf } from "./arg-of.ts";
import { type CallResult, Cell, type CellArgument, type RecordedCall } from "./cell.ts";
import type { Expression } from "./expression.ts";

/** An expression as a program. */
export interface EagerProgram {
  readonly program: Program;
  /** The same for programs that differ only in the elements of their inputs. */
  readonly key: string;
  /** The numbers that are inputs of the program, after the leaves of the expression. */
  readonly numbers: readonly Value[];
}

/** Makes the program that computes cells of an expression. */
export function programOf({ calls, leaves }: Expression, targets: readonly Cell[]): EagerProgram {
  const builder = new ProgramBuilder(leaves);
  for (const call of calls) builder.node(call);
  return builder.build(targets.map((cell) => builder.value(cell)));
}

/** Makes the program that computes all results of one call, after those of an expression. */
export function programOfCall({ calls, leaves }: Expression, last: RecordedCall): EagerProgram {
  const builder = new ProgramBuilder(leaves);
  for (const call of calls) builder.node(call);
  const outputs = builder.node(last);
  return builder.build(outputs.flatMap(valuesOf));
}

function valuesOf(output: Output): readonly Arg[] {
  if (output.kind === "none") return [];
  const names = output.kind === "list" ? output.names : [output.name];
  return names.map((name) => ({ kind: "value", name }));
}

class ProgramBuilder {
  readonly #values = new Map<string, ValueType>();
  readonly #names = new Map<Cell, string>();
  readonly #inputs: InputSpec[] = [];
  readonly #numbers: Value[] = [];
  readonly #nodes: Node[] = [];
  #symbols = 0;

  constructor(leaves: readonly Cell[]) {
    for (const [i, leaf] of leaves.entries()) this.#names.set(leaf, this.#input(`x${i}`, tensorType(leaf)));
  }

  build(outputs: readonly Arg[]): EagerProgram {
    return {
      program: programWith(this.#inputs, this.#nodes, outputs, this.#values, this.#symbols),
      key: keyOf(
        this.#inputs.map((spec) => this.#values.get(nameOf(spec))!),
        this.#nodes,
        outputs,
      ),
      numbers: this.#numbers,
    };
  }

  value(cell: Cell): Arg {
    return { kind: "value", name: this.#names.get(cell)! };
  }

  node({ record, args, results, isDynamic }: RecordedCall): readonly Output[] {
    const name = `v${this.#nodes.length}`;
    const named = record.schema.args.flatMap(({ name: arg, type }): readonly NamedArg[] => {
      const given = args[arg];
      return given === undefined ? [] : [{ name: arg, arg: this.#arg(given, type, isInput(record, arg, type)) }];
    });
    const outputs = results.map((result, i) => this.#output(result, `${name}_${i}`, isDynamic));
    this.#nodes.push({ name, op: record.name, args: named, outputs, origin: {} });
    return outputs;
  }

  #arg(given: CellArgument, type: SchemaType, isRead: boolean): Arg {
    if (given instanceof Cell) return { kind: "value", name: this.#names.get(given)! };
    if (Array.isArray(given)) {
      const items = given as readonly CellArgument[];
      return { kind: "list", items: items.map((item) => this.#arg(item, itemType(type), false)) };
    }
    const arg = argOf((given as { readonly data: unknown }).data, type);
    if (!isRead || (arg.kind !== "int" && arg.kind !== "float")) return arg;
    const kind = arg.kind === "int" ? "symint" : "symfloat";
    const name = this.#input(`n${this.#numbers.push(arg.value) - 1}`, { kind, value: null });
    return { kind: "value", name };
  }

  #input(name: string, type: ValueType): string {
    this.#inputs.push({ kind: "user_input", value: name });
    this.#values.set(name, type);
    return name;
  }

  #output(result: CallResult, name: string, isDynamic: boolean): Output {
    if (result === null) return { kind: "none" };
    if (result instanceof Cell) return { kind: "value", name: this.#define(result, name, isDynamic) };
    if ("kind" in result) {
      this.#values.set(name, { kind: result.kind, value: null });
      return { kind: "value", name };
    }
    return { kind: "list", names: result.map((cell, i) => this.#define(cell, `${name}_${i}`, isDynamic)) };
  }

  #define(cell: Cell, name: string, isDynamic: boolean): string {
    this.#values.set(name, isDynamic ? this.#symbolicType(cell) : tensorType(cell));
    this.#names.set(cell, name);
    return name;
  }

  #symbolicType(cell: Cell): TensorType {
    return { ...tensorType(cell), shape: cell.shape.map(() => ({ kind: "symbol", name: `u${this.#symbols++}` })) };
  }
}

/**
 * Whether a number in this argument is an input of the program, so that other numbers need no other program: where the
 * rules of the op take numbers that change from run to run.
 */
function isInput({ scalar, validate, numbers = [] }: OpRecord, name: string, type: SchemaType): boolean {
  if (scalar === undefined || validate !== undefined) return numbers.includes(name);
  const inner = type.kind === "optional" ? type.inner : type;
  return inner.kind === "base" && (inner.base === "Scalar" || inner.base === "Tensor");
}

function itemType(type: SchemaType): SchemaType {
  return type.kind === "list" ? type.inner : type.kind === "optional" ? itemType(type.inner) : type;
}

/** The type of a dense tensor. */
function tensorType({ dtype, shape }: Pick<Cell, "dtype" | "shape">): TensorType {
  const { strides, offset } = contiguous(shape);
  const device = { type: "cpu", index: null };
  return { kind: "tensor", dtype, shape, strides, storageOffset: offset, device, requiresGrad: false };
}

/** Makes a program of inputs, nodes and outputs alone. */
function programWith(
  inputs: readonly InputSpec[],
  nodes: readonly Node[],
  outputs: readonly Arg[],
  values: ReadonlyMap<string, ValueType>,
  symbols: number,
): Program {
  return {
    ...bareProgram({ inputs: inputs.map(nameOf), nodes, outputs, values }, inputs),
    ranges: new Map(Array.from({ length: symbols }, (_, i) => [`u${i}`, { min: 0, max: null }])),
  };
}

function nameOf(spec: InputSpec): string {
  return (spec as { readonly value: string }).value;
}

function keyOf(types: readonly ValueType[], nodes: readonly Node[], outputs: readonly Arg[]): string {
  const inputs = types.map((type) => (type.kind === "tensor" ? `${type.dtype}[${type.shape}]` : type.kind));
  const calls = nodes.map(({ op, args, outputs: made }) => [op, args, made]);
  return JSON.stringify([inputs, calls, outputs], (_, part: unknown) => exact(part));
}

/** JSON has neither bigints nor -0, NaN and infinities. */
function exact(part: unknown): unknown {
  if (typeof part === "bigint") return { bigint: `${part}` };
  const isOwn = typeof part !== "number" || (Number.isFinite(part) && !Object.is(part, -0));
  return isOwn ? part : { number: Object.is(part, -0) ? "-0" : `${part}` };
}
