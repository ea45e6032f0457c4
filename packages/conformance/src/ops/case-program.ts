import { type Capabilities, hostTensor, type Value } from "@pt2/backend";
import type { WeightTensor } from "@pt2/format";
import type { Arg, InputSpec, Node, Output, Program, TensorType, ValueType } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { bareProgram, foldSymbolicArithmetic } from "@pt2/graph/passes";
import type { OpRegistry } from "@pt2/registry";
import { weightOf } from "../weight-of.ts";
import { argOf } from "./case-args.ts";
import { bytesOf, elementsOf } from "./case-data.ts";
import type { CaseResult, CaseTensor, OpCase } from "./case-types.ts";
import { ints, numberType, tensorType } from "./value-types.ts";

/** Where the tensors of a case are: inputs of each run, or constants of the program (and so folded at load). */
export type Placement = "inputs" | "constants";

/** A case as a program of one op, with its inputs. */
export interface CaseProgram {
  readonly program: Program;
  readonly weights: ReadonlyMap<string, WeightTensor>;
  readonly inputs: readonly Value[];
  /** What each output must be, and its name in messages. */
  readonly expected: readonly { readonly what: string; readonly result: CaseResult | CaseTensor }[];
}

/**
 * Makes a program with one node for the op. A tensor with non-dense strides is a weight with these strides, or a dense
 * input viewed by `as_strided`. Arguments that the op writes to are cloned first, so that neither an input nor a
 * constant is written. The program is functionalized unless the backend supports mutation. The nodes of `after` follow the
 * call.
 */
export function caseProgram(
  opCase: OpCase,
  placement: Placement,
  registry: OpRegistry,
  { mutation = false }: Pick<Capabilities, "mutation">,
  after: (copyOf: (arg: string) => Arg) => readonly Node[] = () => [],
): CaseProgram {
  const builder = new CaseBuilder(opCase, placement);
  const dynamic = hasDynamicSizes(opCase, registry);
  const program = builder.build(dynamic, after);
  return {
    program: foldSymbolicArithmetic(mutation ? program : functionalize(program, registry.effectsOf)),
    weights: builder.weights,
    inputs: builder.userInputs,
    expected: builder.expected,
  };
}

class CaseBuilder {
  readonly weights = new Map<string, WeightTensor>();
  readonly userInputs: Value[] = [];
  readonly expected: { readonly what: string; readonly result: CaseResult | CaseTensor }[] = [];
  readonly #case: OpCase;
  readonly #placement: Placement;
  readonly #specs: InputSpec[] = [];
  readonly #nodes: Node[] = [];
  readonly #values = new Map<string, ValueType>();
  #symbols = 0;

  constructor(opCase: OpCase, placement: Placement) {
    this.#case = opCase;
    this.#placement = placement;
  }

  build(dynamic: boolean, after: (copyOf: (arg: string) => Arg) => readonly Node[]): Program {
    const { op, args, tensors, expected, mutated = {} } = this.#case;
    const names = tensors.map((tensor, i) => this.#tensor(tensor, `x${i}`));
    for (const arg of Object.keys(mutated)) {
      const given = args[arg];
      if (typeof given !== "object" || given === null || !("tensor" in given)) continue;
      names[given.tensor] = this.#clone(names[given.tensor]!, tensors[given.tensor]!);
    }
    const named = Object.entries(args).map(([name, arg]) => ({ name, arg: argOf(arg, (i) => names[i]!) }));
    const outputs = expected.map((result, i) => this.#output(result, `y${i}`, dynamic));
    this.#nodes.push({ name: "call", op, args: named, outputs, origin: {} });
    this.#nodes.push(...after((arg) => named.find(({ name }) => name === arg)!.arg));
    const results = outputs.flatMap((output, i) => this.#returned(output, expected[i]!, `result ${i}`));
    for (const [arg, after] of Object.entries(mutated)) {
      results.push(named.find(({ name }) => name === arg)!.arg);
      this.expected.push({ what: `\`${arg}\` after the call`, result: after });
    }
    const inputs = this.#specs.map((spec) => ("value" in spec ? spec.value : null));
    return {
      ...bareProgram({ inputs, nodes: this.#nodes, outputs: results, values: this.#values }, this.#specs),
      ranges: new Map(Array.from({ length: this.#symbols }, (_, i) => [`u${i}`, { min: 0, max: null }])),
    };
  }

  #tensor(tensor: CaseTensor, name: string): string {
    const { dtype, shape, strides, offset = 0 } = tensor;
    if (this.#placement === "constants") {
      const view = { storageOffset: offset, ...(strides === undefined ? {} : { strides }) };
      this.weights.set(name, weightOf(name, { dtype, shape, bytes: bytesOf(tensor) }, view));
      this.#specs.push({ kind: "tensor_constant", value: name, target: name });
      this.#values.set(name, tensorType(tensor, shape, strides, offset));
      return name;
    }
    const data = elementsOf(tensor);
    const size = strides === undefined ? shape : [data.length / (dtype.startsWith("complex") ? 2 : 1)];
    this.userInputs.push(hostTensor(dtype, size, data));
    this.#specs.push({ kind: "user_input", value: name });
    this.#values.set(name, tensorType(tensor, size));
    if (strides === undefined) return name;
    const view = `${name}_view`;
    const args = [
      { name: "self", arg: { kind: "value", name } as const },
      { name: "size", arg: ints(shape) },
      { name: "stride", arg: ints(strides) },
      { name: "storage_offset", arg: { kind: "int", value: offset } as const },
    ];
    this.#node("aten::as_strided", args, view, tensorType(tensor, shape, strides, offset));
    return view;
  }

  #clone(name: string, tensor: CaseTensor): string {
    const copy = `${name}_copy`;
    const { shape, strides } = tensor;
    this.#node(
      "aten::clone",
      [{ name: "self", arg: { kind: "value", name } }],
      copy,
      tensorType(tensor, shape, strides),
    );
    return copy;
  }

  #node(op: string, args: Node["args"], result: string, type: ValueType): void {
    this.#nodes.push({ name: result, op, args, outputs: [{ kind: "value", name: result }], origin: {} });
    this.#values.set(result, type);
  }

  #output(result: CaseResult, name: string, dynamic: boolean): Output {
    if (result === null) return { kind: "none" };
    if (isList(result)) {
      const names = result.map((_, i) => `${name}_${i}`);
      for (const [i, tensor] of result.entries()) this.#values.set(names[i]!, this.#resultType(tensor, dynamic));
      return { kind: "list", names };
    }
    this.#values.set(name, isTensor(result) ? this.#resultType(result, dynamic) : numberType(result));
    return { kind: "value", name };
  }

  #resultType(tensor: CaseTensor, dynamic: boolean): TensorType {
    if (!dynamic) return tensorType(tensor, tensor.shape);
    return tensorType(
      tensor,
      tensor.shape.map(() => ({ kind: "symbol", name: `u${this.#symbols++}` })),
      tensor.shape.map(() => 1),
    );
  }

  #returned(output: Output, result: CaseResult, what: string): Arg[] {
    if (output.kind === "none") return [];
    if (output.kind === "value") {
      this.expected.push({ what, result });
      return [{ kind: "value", name: output.name }];
    }
    return output.names.map((name, i) => {
      this.expected.push({ what: `${what}[${i}]`, result: (result as readonly CaseTensor[])[i]! });
      return { kind: "value", name };
    });
  }
}

/** Returns whether the sizes of the results depend on data, by the op's record; for some ops only with a mask. */
function hasDynamicSizes({ op }: OpCase, registry: OpRegistry): boolean {
  return registry.resolve(op)?.dynamic !== undefined;
}

function isList(result: CaseResult): result is readonly CaseTensor[] {
  return Array.isArray(result);
}

/** Returns whether a result is one tensor. */
export function isTensor(result: CaseResult): result is CaseTensor {
  return typeof result === "object" && result !== null && "shape" in result;
}
