import type { SchemaType } from "../schema/types.ts";
import type { ArgValue, NumberCell, Scalar } from "../tensor-meta.ts";
import { pythonDtype } from "../wrapped.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";

/** A number that each run brings anew: to the rules of ops a 0-d tensor that promotes as a Python number. */
export type RunNumber = LoweredTensor & { readonly number: NumberCell };

/** A number that comes with a run: the backend sets its cell before the run. */
export function runNumber(name: string, number: NumberCell): RunNumber {
  return { name, dtype: pythonDtype(number.value), shape: [], number };
}

/** Whether a value is a number that only a run knows. */
export function isRunNumber(value: ArgValue | undefined): value is RunNumber {
  return typeof value === "object" && value !== null && "number" in value && value.number !== undefined;
}

/**
 * What a stage knows of numbers that runs bring. A rule that reads such a number while lowering fixes it, and the stage
 * then holds for runs with the same value only; a number that no rule reads is an operand like any tensor.
 */
export class RunNumbers {
  readonly #fixed = new Set<NumberCell>();
  /** In the order in which they came up: what is derived is up to date before it is compared. */
  readonly #checks: (() => boolean)[] = [];

  /** Its value now, which the stage depends on from here. */
  readonly fix = (value: RunNumber): Scalar => {
    const { number } = value;
    const expected = number.value;
    if (!this.#fixed.has(number)) {
      this.#fixed.add(number);
      this.#checks.push(() => isSame(number.value, expected));
    }
    return expected;
  };

  /** A number that follows from others. The stage depends on its being an int, a float or a bool. */
  derive(name: string, compute: () => Scalar): RunNumber {
    const cell = { value: compute() };
    const dtype = pythonDtype(cell.value);
    this.#checks.push(() => {
      cell.value = compute();
      return pythonDtype(cell.value) === dtype;
    });
    return runNumber(name, cell);
  }

  /** Brings derived numbers up to date; whether the stage is right for the numbers that are set now. */
  holds(): boolean {
    try {
      return this.#checks.every((check) => check());
    } catch {
      // Lowering again says where and why.
      return false;
    }
  }

  /** Arguments in which numbers are fixed, save where `keeps` says that the argument's rules take a tensor. */
  settle(
    given: Readonly<Record<string, ArgValue>>,
    keeps: (name: string) => boolean = () => false,
  ): Readonly<Record<string, ArgValue>> {
    if (!Object.values(given).some(holdsRunNumber)) return given;
    const settled = (value: ArgValue): ArgValue => {
      if (Array.isArray(value)) return value.map(settled);
      return isRunNumber(value) ? this.fix(value) : value;
    };
    return Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, keeps(name) ? value : settled(value)]),
    );
  }
}

/** Whether an argument of this type is a tensor, a list of them, or may be left out. */
export function takesTensor(type: SchemaType): boolean {
  return type.kind === "base" ? type.base === "Tensor" : "inner" in type && takesTensor(type.inner);
}

function holdsRunNumber(value: ArgValue): boolean {
  return Array.isArray(value) ? value.some(holdsRunNumber) : isRunNumber(value);
}

function isSame(a: Scalar, b: Scalar): boolean {
  if (typeof a === "object" && typeof b === "object" && "float" in a && "float" in b)
    return Object.is(a.float, b.float);
  return Object.is(a, b);
}
