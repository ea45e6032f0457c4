import { type GivenArray, hostTensor, requireMemory, Tensor, type Value } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import { bindSymbols, type GivenShape, type Program } from "@pt2/graph";
import { runtimeError } from "./runtime-errors.ts";
import { type Constant, describeType, type LeafInfo, type LeafType, printConstant } from "./signature.ts";
import { fromPlain, isPlainTensor } from "./tensor/tensor.ts";

/**
 * Checks the leaves of calls against the signature and the symbols' ranges, and converts them to an executable's inputs.
 * It remembers the shapes of the last call: tensors like those are inputs as they are, which small programs call for.
 */
export class InputChecker {
  readonly #program: Program;
  readonly #inputs: readonly LeafInfo[];
  /** The shapes of the last call; null where other values than tensors decide whether a call is valid. */
  #accepted: readonly (readonly number[])[] | null = null;

  constructor(program: Program, inputs: readonly LeafInfo[]) {
    this.#program = program;
    this.#inputs = inputs;
  }

  check(leaves: readonly unknown[]): readonly Value[] {
    if (this.#isLikeAccepted(leaves)) return leaves;
    const values = checkInputs(this.#program, this.#inputs, leaves);
    const isOfTensors = this.#inputs.every(({ type }) => type.kind === "tensor");
    // Copies, because nothing keeps a caller from changing an array.
    this.#accepted = isOfTensors ? values.map((value) => [...(value as Tensor).shape]) : null;
    return values;
  }

  #isLikeAccepted(leaves: readonly unknown[]): leaves is readonly Tensor[] {
    const accepted = this.#accepted;
    if (accepted === null || leaves?.length !== accepted.length) return false;
    for (let i = 0; i < accepted.length; i++) {
      const leaf = leaves[i];
      const { type } = this.#inputs[i]!;
      const shape = accepted[i]!;
      if (!(leaf instanceof Tensor) || type.kind !== "tensor" || leaf.dtype !== type.dtype) return false;
      // Its memory may have been transferred.
      if (leaf.bytes?.byteLength === 0) return false;
      if (leaf.shape.length !== shape.length) return false;
      for (let d = 0; d < shape.length; d++) if (leaf.shape[d] !== shape[d]) return false;
    }
    return true;
  }
}

function checkInputs(program: Program, inputs: readonly LeafInfo[], leaves: readonly unknown[]): Value[] {
  const given = Array.isArray(leaves) ? leaves.length : `no array`;
  if (given !== inputs.length) {
    throw runtimeError("runtime.call", {
      what: `The program takes ${inputs.length} inputs (${inputs.map(({ name }) => name).join(", ")}), but got ${given}`,
      advice: "pass every leaf, in flattened order",
    });
  }
  const labels = new Map<string, string>();
  const shapes = new Map<string, GivenShape>();
  const values: Value[] = [];
  inputs.forEach((input, i) => {
    const leaf = leaves[i];
    if (input.type.kind === "constant") {
      requireConstant(input.name, input.type.value, leaf);
    } else {
      const value = toValue(input, input.type, leaf);
      labels.set(input.value!, input.name);
      if (isTensor(value)) shapes.set(input.value!, value.shape);
      else if (input.type.kind === "int") shapes.set(input.value!, value as number | bigint);
      values.push(value);
    }
  });
  bindSymbols(program, shapes, (input) => labels.get(input) ?? input);
  return values;
}

/** Returns whether a value is a tensor of any backend, also one whose class is of another copy of `@pt2/backend`. */
export function isTensor(value: unknown): value is Tensor {
  return value instanceof Tensor || (isPlainTensor(value) && "readBytes" in value);
}

function requireConstant(name: string, expected: Constant, given: unknown): void {
  if (given === null || given === undefined || given === expected || Object.is(given, expected)) return;
  const numeric = typeof given === "bigint" || typeof expected === "bigint";
  // biome-ignore lint/suspicious/noDoubleEquals: 3 and 3n are one number
  if (numeric && given == expected) return;
  throw runtimeError("runtime.input-constant", {
    what: `Input \`${name}\` was fixed to ${printConstant(expected)} at export and cannot be ${describeGiven(given)}`,
    where: `input \`${name}\``,
    advice: "omit it, or export the program again with another value",
    details: { name, expected, given },
  });
}

function toValue(input: LeafInfo, type: Exclude<LeafType, { kind: "constant" }>, given: unknown): Value {
  const { name } = input;
  if (given === null || given === undefined) throw missing(input);
  if (type.kind === "tensor") {
    if (isTensor(given)) return requireDtype(name, type, given);
    if (isPlainTensor(given)) return requireDtype(name, type, fromPlain(given));
    if (ArrayBuffer.isView(given) && !(given instanceof DataView)) return wrap(input, type, given as GivenArray);
  } else if (type.kind === "bool" && typeof given === "boolean") return given;
  else if (type.kind === "float" && typeof given === "number") return given;
  else if (type.kind === "int" && (typeof given === "bigint" || Number.isSafeInteger(given)))
    return given as number | bigint;
  throw runtimeError("runtime.input-kind", {
    what: `Input \`${name}\` must be ${describeType(type)}, but got ${describeGiven(given)}`,
    where: `input \`${name}\``,
    advice:
      type.kind === "tensor" ? `pass \`tensor("${type.dtype}", shape, data)\`` : "pass a value of the parameter's type",
    details: { name, expected: type },
  });
}

function requireDtype(name: string, type: LeafType & { kind: "tensor" }, given: Tensor): Tensor {
  requireMemory(given, `input \`${name}\``);
  if (given.dtype === type.dtype) return given;
  throw runtimeError("runtime.input-dtype", {
    what: `Input \`${name}\` must be ${describeType(type)}, but got ${given.dtype} [${given.shape.join(", ")}]`,
    where: `input \`${name}\``,
    advice: `create it with \`tensor("${type.dtype}", [${given.shape.join(", ")}], data)\`${dtypeHint(type.dtype)}`,
    details: { name, expected: type.dtype, given: given.dtype },
  });
}

function dtypeHint(dtype: string): string {
  if (dtype === "int64" || dtype === "uint64") return ", where data is an array of numbers or a BigInt64Array";
  return dtype === "bool" ? ", where data is an array of booleans or a Uint8Array of 0 and 1" : "";
}

/** Creates a tensor from a typed array, where only one shape is possible. */
function wrap({ name }: LeafInfo, type: LeafType & { kind: "tensor" }, data: GivenArray): Tensor {
  const shape = type.shape.filter((size) => typeof size === "number");
  try {
    if (shape.length === type.shape.length) return hostTensor(type.dtype, shape, data);
  } catch (problem) {
    if (!(problem instanceof Pt2Error)) throw problem;
    throw runtimeError("runtime.input-kind", {
      what: `Input \`${name}\`: ${problem.what}`,
      where: `input \`${name}\``,
      advice: problem.advice,
      cause: problem,
    });
  }
  throw runtimeError("runtime.input-kind", {
    what: `Input \`${name}\` is ${describeType(type)}: an array without a shape is not enough`,
    where: `input \`${name}\``,
    advice: `pass \`tensor("${type.dtype}", shape, data)\``,
  });
}

function missing({ name, type }: LeafInfo): Error {
  return runtimeError("runtime.input-missing", {
    what: `Input \`${name}\` is missing: it must be ${describeType(type)}`,
    where: `input \`${name}\``,
    advice: "pass every input that was not fixed at export",
    details: { name },
  });
}

function describeGiven(given: unknown): string {
  if (isTensor(given)) return `a tensor ${given.dtype} [${given.shape.join(", ")}]`;
  if (Array.isArray(given)) return `an array of ${given.length}`;
  if (typeof given === "object" && given !== null) {
    const name = given.constructor?.name ?? "object";
    return `${/^[AEIOUaeiou]/.test(name) ? "an" : "a"} ${name}`;
  }
  return typeof given === "string" ? JSON.stringify(given) : String(given);
}
