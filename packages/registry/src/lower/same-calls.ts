import { sameShape } from "@pt2/format";
import type { ArgValue } from "../tensor-meta.ts";
import type { Call, LoweredNode } from "./call.ts";
import { isTensor, type LoweredTensor, tensorsIn } from "./lowered-tensor.ts";
import { isRuntimeScalar } from "./runtime-scalar.ts";

/** Calls for other inputs, compared with the previous ones: which tensor has become which. */
export class SameCalls {
  readonly #origins = new Map<LoweredTensor, LoweredTensor>();
  readonly #now = new Map<LoweredTensor, LoweredTensor>();

  /** Returns the previous tensor. A tensor that did not differ is its own. */
  originOf(tensor: LoweredTensor): LoweredTensor {
    return this.#origins.get(tensor) ?? tensor;
  }

  /** Returns a tensor that a previous one has become, where one is known. */
  nowOf(before: LoweredTensor): LoweredTensor | undefined {
    return this.#now.get(before);
  }

  /** States what a previous tensor has become. */
  identify(before: LoweredTensor, now: LoweredTensor): void {
    if (before === now) return;
    this.#origins.set(now, before);
    if (!this.#now.has(before)) this.#now.set(before, now);
  }

  /**
   * Whether a node comes to its previous calls in other sizes: of the same ops on what the previous tensors have become.
   * Fusion and constant folding look at no more of a call than this, and at answers of a device.
   */
  match(before: Pick<LoweredNode, "calls" | "results">, now: Pick<LoweredNode, "calls" | "results">): boolean {
    if (before.calls.length !== now.calls.length || before.results.length !== now.results.length) return false;
    if (!now.calls.every((call, i) => this.#matches(before.calls[i]!, call))) return false;
    return now.results.every((result, i) => this.#isResult(before.results[i]!, result));
  }

  #matches(before: Call, { record, kind, packaged, scalar, args, results }: Call): boolean {
    if (record !== before.record || kind !== before.kind || packaged !== before.packaged) return false;
    if (!this.#reads(operandsIn(before.args), operandsIn(args))) return false;
    if ((scalar === undefined) !== (before.scalar === undefined)) return false;
    if (scalar !== undefined) {
      const known = before.scalar!;
      if (scalar.dtype !== known.dtype || !this.#reads(known.operands, scalar.operands)) return false;
      const alike = scalar.operands.every(
        ({ shape }, i) => sameShape(shape, scalar.shape) === sameShape(known.operands[i]!.shape, known.shape),
      );
      if (!alike) return false;
    }
    if (results.length !== before.results.length) return false;
    return results.every((result, i) => this.#makes(tensorsIn(before.results[i]), tensorsIn(result)));
  }

  /** Whether these tensors are what the previous ones have become. */
  #reads(before: readonly LoweredTensor[], now: readonly LoweredTensor[]): boolean {
    return before.length === now.length && now.every((tensor, i) => this.originOf(tensor) === before[i]);
  }

  #makes(before: readonly LoweredTensor[], now: readonly LoweredTensor[]): boolean {
    if (before.length !== now.length) return false;
    for (const [i, tensor] of now.entries()) {
      if (tensor.dtype !== before[i]!.dtype) return false;
      this.identify(before[i]!, tensor);
    }
    return true;
  }

  #isResult(before: ArgValue, now: ArgValue): boolean {
    if (isRuntimeScalar(before) && isRuntimeScalar(now)) {
      this.identify(before, now);
      return before.dtype === now.dtype;
    }
    return this.#reads(tensorsIn(before), tensorsIn(now));
  }
}

function operandsIn(args: Call["args"]): readonly LoweredTensor[] {
  return Object.values(args).flatMap(tensorsIn);
}

/** Whether two values are the same to the rules of ops. A number that each run sets is never the same. */
export function isSame(
  a: ArgValue,
  b: ArgValue | undefined,
  sameTensor: (a: LoweredTensor, b: LoweredTensor) => boolean = Object.is,
): boolean {
  if (isRuntimeScalar(a) || isRuntimeScalar(b)) return false;
  if (Array.isArray(a)) {
    const items = a as readonly ArgValue[];
    return (
      Array.isArray(b) &&
      b.length === items.length &&
      items.every((item, i) => isSame(item, b[i] as ArgValue, sameTensor))
    );
  }
  if (isTensor(a) && isTensor(b)) return sameTensor(a, b);
  if (typeof a === "object" && a !== null && !isTensor(a) && typeof b === "object" && b !== null && !isTensor(b)) {
    return "float" in a && "float" in b && Object.is(a.float, b.float);
  }
  return Object.is(a, b);
}
