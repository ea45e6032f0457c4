import { type HostTensor, numel, type Value } from "@pt2/backend";
import { compareTensor } from "../compare.ts";
import { floats } from "../programs.ts";

const TOLERANCE = { rtol: 1e-5, atol: 1e-5 };

/** Makes a float32 tensor of the numbers from `start` in steps of 0.5. */
export function ramp(shape: readonly number[], start = 0): HostTensor {
  return floats(shape, ...Array.from({ length: numel(shape) }, (_, i) => start + i / 2));
}

/** Throws unless a run returned these values. */
export async function expectValues(actual: readonly Value[], expected: readonly Value[]): Promise<void> {
  expectThat(actual.length === expected.length, `${actual.length} outputs, expected ${expected.length}`);
  for (const [i, want] of expected.entries()) {
    if (typeof want !== "object" || want === null) {
      expectThat(Object.is(actual[i], want), `output ${i} is ${String(actual[i])}, expected ${String(want)}`);
      continue;
    }
    const { dtype, shape } = want;
    const tolerance = dtype.startsWith("float") ? TOLERANCE : undefined;
    const problem = await compareTensor(actual[i], { dtype, shape, data: await want.read() }, tolerance);
    expectThat(problem === null, `output ${i} ${problem}`);
  }
}

/** Throws an error with `message` unless a condition holds. */
export function expectThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new Error(message);
}

/** Returns the error that a promise rejects with; throws if it does not reject, or if the error has no code. */
export async function expectCodedError(promise: Promise<unknown>, what: string): Promise<Error> {
  const error = await rejectionOf(promise, what);
  const code = (error as { readonly code?: unknown }).code;
  expectThat(
    error instanceof Error && typeof code === "string",
    `${what} is rejected without a code: ${String(error)}`,
  );
  return error;
}

/** Returns what a promise rejects with; throws if it does not reject. */
export async function rejectionOf(promise: Promise<unknown>, what: string): Promise<unknown> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  expectThat(outcome !== null, `${what} is not rejected`);
  return outcome.error;
}
