import type { DType } from "@pt2/format";
import type { Arg, Node, OpName, Program, TensorType, ValueType } from "../ir.ts";
import type { SymInt } from "../sym/sym-expr.ts";
import { bareProgram } from "./bare-program.ts";

/** A tensor whose sizes are not known when a program is written: numbers, or null for those that inputs decide. */
export interface TensorKind {
  readonly dtype: DType;
  readonly shape: readonly (number | null)[];
}

/**
 * Writes a program call by call, for inputs of all sizes: those of results are known when those of the inputs are. Runs take
 * and return leaves.
 */
export class ProgramWriter {
  readonly #values = new Map<string, ValueType>();
  readonly #inputs: string[] = [];
  readonly #nodes: Node[] = [];

  /** Adds an input, in the order in which runs take them. */
  input(name: string, type: ValueType | TensorKind): Arg {
    this.#inputs.push(name);
    this.#values.set(name, "kind" in type ? type : typeOf(name, type));
    return { kind: "value", name };
  }

  /** Appends a call of an op that returns a tensor. */
  call(op: OpName, args: Readonly<Record<string, Arg>>, result: TensorKind): Arg {
    return this.calls(op, args, [result])[0]!;
  }

  /** Appends a call of an op that returns several tensors. */
  calls(op: OpName, args: Readonly<Record<string, Arg>>, results: readonly TensorKind[]): readonly Arg[] {
    const call = `v${this.#nodes.length}`;
    const names = results.map((_, i) => (i === 0 ? call : `${call}_${i}`));
    for (const [i, name] of names.entries()) this.#values.set(name, typeOf(name, results[i]!));
    const named = Object.entries(args).map(([name, arg]) => ({ name, arg }));
    const outputs = names.map((name) => ({ kind: "value", name }) as const);
    this.#nodes.push({ name: call, op, args: named, outputs, origin: {} });
    return outputs;
  }

  /** Returns the program of these results. */
  program(...results: readonly Arg[]): Program {
    return bareProgram({ inputs: this.#inputs, nodes: this.#nodes, outputs: results, values: this.#values });
  }
}

function typeOf(name: string, { dtype, shape }: TensorKind): TensorType {
  const symbol = (text: string): SymInt => ({ kind: "symbol", name: `${name}_${text}` });
  return {
    kind: "tensor",
    dtype,
    shape: shape.map((size, i) => size ?? symbol(`size${i}`)),
    strides: shape.map((_, i) => (i === shape.length - 1 ? 1 : symbol(`stride${i}`))),
    storageOffset: 0,
    device: { type: "cpu", index: null },
    requiresGrad: false,
  };
}
