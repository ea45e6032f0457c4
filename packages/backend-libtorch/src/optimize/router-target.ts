import type { OpName } from "@pt2/graph";
import type { Router } from "../routes.ts";
import { isOwnOp, type OptimizeTarget, purityWithOwnOps } from "./target.ts";
import { WIDEN } from "./widened-weight.ts";

/** What the passes may use. */
export interface TargetOptions extends Pick<OptimizeTarget, "weights" | "widened"> {
  /** Whether ops that only passes emit are there, where the dispatcher has kernels for them. @default true */
  readonly ownKernels?: boolean;
}

/** Describes to the passes what a router can run. */
export function routerTarget(router: Router, options: TargetOptions = {}): OptimizeTarget {
  const { dispatcher, registry } = router;
  const { weights, widened, ownKernels = true } = options;
  const routeOf = (op: OpName): string => router.routeOf({ name: op, op, args: [], outputs: [], origin: {} }).kind;
  const has = (op: OpName): boolean => (ownKernels || !isOwnOp(op)) && dispatcher.has(op) && !registry.isClaimed(op);
  return {
    weights,
    widened,
    widensWeight: has(WIDEN) ? WIDEN : undefined,
    has,
    isClaimed: (op) => registry.isClaimed(op) || routeOf(op) === "kernel",
    effectsOf: (op) => router.effectsOf(op),
    recordOf: (op) => registry.resolve(op),
    isPure: purityWithOwnOps(registry),
  };
}
