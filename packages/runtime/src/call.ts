import type { TreeSpec } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { countLeaves, flatten, structureOf, unflatten } from "@pt2/graph";
import { isTensor } from "./check-inputs.ts";
import { runtimeError } from "./runtime-errors.ts";
import type { LeafInfo } from "./signature.ts";
import { isPlainTensor } from "./tensor/tensor.ts";

/** A call with Python's arguments, or with leaves in flattened order. */
export type Call =
  | { readonly args?: readonly unknown[]; readonly kwargs?: Readonly<Record<string, unknown>> }
  | { readonly leaves: readonly unknown[] };

/** A call as it may be given: its members exclude each other. */
interface GivenCall {
  readonly leaves?: readonly unknown[];
  readonly args?: readonly unknown[];
  readonly kwargs?: Readonly<Record<string, unknown>>;
}

interface Parameter {
  readonly name: string;
  readonly spec: TreeSpec;
  readonly keyword: boolean;
  /** True if all its leaves were fixed at export. */
  readonly optional: boolean;
}

/** The program's calling convention, which converts arguments to leaves. */
export class CallConvention {
  readonly #program: Program;
  readonly #parameters: readonly Parameter[] | null;
  /** Whether `forward` takes one value for each leaf, in their order. */
  readonly #isFlat: boolean;

  constructor(program: Program, inputs: readonly LeafInfo[]) {
    this.#program = program;
    this.#parameters = parametersOf(program, inputs);
    this.#isFlat = this.#parameters?.every(({ spec, keyword }) => !keyword && spec.type === null) ?? false;
  }

  leavesOf(call: Call): readonly unknown[] {
    const { leaves, args = [], kwargs = {}, ...others } = (call ?? {}) as GivenCall;
    if (leaves !== undefined) return leaves;
    // Also an array and a tensor have members of their own.
    if (!Array.isArray(args) || Object.keys(others).length > 0)
      throw this.#refuse("A call is { args, kwargs }, where `args` is an array, or { leaves }");
    if (this.#parameters === null) return args;
    const positional = this.#parameters.filter(({ keyword }) => !keyword);
    if (args.length > positional.length) throw this.#tooMany(args.length, positional.length);
    const given = new Map(Object.entries(kwargs ?? {}));
    args.forEach((arg, i) => {
      const { name } = positional[i]!;
      if (given.has(name)) throw this.#refuse(`\`${name}\` is given twice, by position and by name`);
      given.set(name, arg);
    });
    return this.#leavesByName(this.#parameters, given);
  }

  /** Arranges the arguments of `forward`: a single plain object is a call by name, all others are by position. */
  arrange(given: readonly unknown[]): Call {
    const [first] = given;
    const parameters = this.#parameters;
    if (parameters === null) return { args: given };
    if (this.#isFlat && given.length === parameters.length && given.every(isTensor)) return { leaves: given };
    if (given.length === 1 && isPlainObject(first) && this.#isByName(parameters, first)) return { kwargs: first };
    if (given.length > parameters.length) throw this.#tooMany(given.length, parameters.length);
    return { kwargs: Object.fromEntries(given.map((value, i) => [parameters[i]!.name, value])) };
  }

  /**
   * Returns whether an object is a call by name. Where the first parameter is itself a dict, and of what may be a tensor
   * from another thread, only an object whose keys are all parameters is one.
   */
  #isByName(parameters: readonly Parameter[], given: object): boolean {
    const [first] = parameters;
    const kind = first && structureOf(first.spec, this.#program.namedTuples).kind;
    if (kind !== "mapping" && kind !== "record" && !isPlainTensor(given)) return true;
    return Object.keys(given).every((key) => parameters.some(({ name }) => name === key));
  }

  #leavesByName(parameters: readonly Parameter[], given: ReadonlyMap<string, unknown>): readonly unknown[] {
    const { inSpec, namedTuples, forwardArgs } = this.#program;
    const unknown = [...given.keys()].find((key) => !parameters.some(({ name }) => name === key));
    if (unknown !== undefined) throw this.#refuse(`The program has no parameter \`${unknown}\``);
    const valueGiven = ({ name, optional, spec }: Parameter): unknown => {
      const value = given.get(name);
      if (value !== undefined && value !== null) return value;
      if (spec.type === null) return null;
      if (optional) return unflatten(spec, new Array(countLeaves(spec)).fill(null), namedTuples);
      if (countLeaves(spec) === 0) return unflatten(spec, [], namedTuples);
      throw runtimeError("runtime.input-missing", {
        what: `Input \`${name}\` is missing`,
        where: `input \`${name}\``,
        advice: "pass every input that was not fixed at export",
        details: { name },
      });
    };
    const args = parameters.filter(({ keyword }) => !keyword).map(valueGiven);
    const kwargs = parameters.filter(({ keyword }) => keyword).map((one) => [one.name, valueGiven(one)] as const);
    return flatten(inSpec!, args, Object.fromEntries(kwargs), { namedTuples, forwardArgs });
  }

  #tooMany(given: number, possible: number): Error {
    return this.#refuse(`got ${given} positional arguments, but at most ${possible} are possible`);
  }

  #refuse(what: string): Error {
    const names = this.#parameters?.map(({ name }) => name) ?? [];
    return runtimeError("runtime.call", {
      what,
      where: `forward(${names.join(", ")})`,
      advice: `pass arguments by position, or by name as one object: forward({ ${names.join(", ")} })`,
      details: { parameters: names },
    });
  }
}

/** Returns null where the file does not record how the program was called. */
function parametersOf({ inSpec, forwardArgs }: Program, inputs: readonly LeafInfo[]): readonly Parameter[] | null {
  const [positional, keyword] = inSpec?.children ?? [];
  if (positional === undefined || keyword === undefined) return null;
  let at = 0;
  const parameter = (spec: TreeSpec, name: string, isKeyword: boolean): Parameter => {
    const leaves = inputs.slice(at, at + countLeaves(spec));
    at += leaves.length;
    return { name, spec, keyword: isKeyword, optional: leaves.every(({ type }) => type.kind === "constant") };
  };
  const names = Array.isArray(keyword.context) ? keyword.context.map(String) : [];
  return [
    ...positional.children.map((spec, i) => parameter(spec, forwardArgs[i] ?? `args[${i}]`, false)),
    ...keyword.children.map((spec, i) => parameter(spec, names[i] ?? `kwargs[${i}]`, true)),
  ];
}

function isPlainObject(value: unknown): value is Readonly<Record<string, unknown>> {
  if (typeof value !== "object" || value === null || isTensor(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}
