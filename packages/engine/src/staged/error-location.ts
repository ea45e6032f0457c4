import { backendError } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import { describeNode } from "@pt2/registry";
import { type CallSite, kernelError } from "../kernel-error.ts";
import type { Awaitable } from "./awaitable.ts";

/**
 * Runs or plans what computes these calls, and adds the place in the program to an error. An error without a code (a
 * trap, a failure inside a kernel's plan) becomes a coded one: users see the op, and the cause is kept.
 */
export function withErrorLocation<T>(calls: readonly CallSite[], work: () => Awaitable<T>): Awaitable<T> {
  const locate = (error: unknown): never => {
    throw addErrorLocation(error, calls);
  };
  try {
    const result = work();
    return result instanceof Promise ? result.catch(locate) : result;
  } catch (error) {
    return locate(error);
  }
}

/** Adds the place of the calls during which an error happened. */
export function addErrorLocation(error: unknown, calls: readonly CallSite[]): unknown {
  const node = calls.at(-1)?.node;
  const where = node && describeNode(node);
  if (!(error instanceof Pt2Error)) {
    const ops = calls.map(({ record }) => record.name).join(" + ") || "The preparation of a constant";
    const packaged = calls.find((each) => each.packaged);
    if (packaged !== undefined)
      return kernelError(packaged, {
        what: `failed: ${error instanceof Error ? error.message : error}`,
        cause: error,
      });
    return backendError("backend.internal", {
      what: `${ops} failed: ${error instanceof Error ? error.message : String(error)}`,
      where,
      advice: "Report the program: its arguments should have been accepted, or refused with a reason.",
      cause: error,
    });
  }
  if (error.where !== undefined || where === undefined) return error;
  const { code, what, advice, details } = error;
  return new Pt2Error(code, { what, where, advice, details, cause: error });
}
