import type { ArgValue, NumberCell, Scalar } from "../tensor-meta.ts";
import { pythonDtype } from "../wrapped.ts";
import type { LoweredTensor } from "./lowered-tensor.ts";

/** A number whose value each run sets: a 0-d tensor to the rules of ops, which promotes like a Python number. */
export type RuntimeScalar = LoweredTensor & { readonly number: NumberCell };

/** Makes a runtime scalar; the backend sets its cell before each run. */
export function runtimeScalar(name: string, number: NumberCell): RuntimeScalar {
  return { name, dtype: pythonDtype(number.value), shape: [], number };
}

/** Returns whether a value is a runtime scalar. */
export function isRuntimeScalar(value: ArgValue | undefined): value is RuntimeScalar {
  return typeof value === "object" && value !== null && "number" in value && value.number !== undefined;
}

/**
 * Tracks what a stage assumes about runtime scalars. A rule that reads such a number during lowering fixes it: the
 * stage is then valid only for runs with the same value. A number that no rule reads is an operand like any tensor.
 */
export class RuntimeScalars {
  readonly #fixed = new Set<NumberCell>();
  /** The checks in the order of their creation: derived numbers are updated before they are compared. */
  readonly #checks: (() => boolean)[] = [];

  /** Returns the current value, and makes the stage depend on it. */
  readonly fix = (value: RuntimeScalar): Scalar => {
    const { number } = value;
    const expected = number.value;
    if (!this.#fixed.has(number)) {
      this.#fixed.add(number);
      this.#checks.push(() => isSame(number.value, expected));
    }
    return expected;
  };

  /** Makes a number that follows from others. The stage depends on its being an int, a float or a bool. */
  derive(name: string, compute: () => Scalar): RuntimeScalar {
    const cell = { value: compute() };
    const dtype = pythonDtype(cell.value);
    this.#checks.push(() => {
      cell.value = compute();
      return pythonDtype(cell.value) === dtype;
    });
    return runtimeScalar(name, cell);
  }

  /** Updates derived numbers; returns whether the stage is valid for the current values. */
  holds(): boolean {
    try {
      return this.#checks.every((check) => check());
    } catch {
      // Lowering again reports the error with its location.
      return false;
    }
  }

  /** Fixes the runtime scalars in arguments, except where `keeps` says that the argument's rules accept a tensor. */
  fixAll(
    given: Readonly<Record<string, ArgValue>>,
    keeps: (name: string) => boolean = () => false,
  ): Readonly<Record<string, ArgValue>> {
    if (!Object.values(given).some(holdsRuntimeScalar)) return given;
    const fixed = (value: ArgValue): ArgValue => {
      if (Array.isArray(value)) return value.map(fixed);
      return isRuntimeScalar(value) ? this.fix(value) : value;
    };
    return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, keeps(name) ? value : fixed(value)]));
  }
}

function holdsRuntimeScalar(value: ArgValue): boolean {
  return Array.isArray(value) ? value.some(holdsRuntimeScalar) : isRuntimeScalar(value);
}

function isSame(a: Scalar, b: Scalar): boolean {
  if (typeof a === "object" && typeof b === "object" && "float" in a && "float" in b)
    return Object.is(a.float, b.float);
  return Object.is(a, b);
}
