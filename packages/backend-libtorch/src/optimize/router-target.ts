import type { OpName } from "@pt2/graph";
import type { Router } from "../routes.ts";
import { type OptimizeTarget, purityWithOwnOps } from "./target.ts";

/** Describes to the passes what a router can run. */
export function routerTarget(router: Router, options: Pick<OptimizeTarget, "weights"> = {}): OptimizeTarget {
  const { dispatcher, registry } = router;
  const routeOf = (op: OpName): string => router.routeOf({ name: op, op, args: [], outputs: [], origin: {} }).kind;
  return {
    ...options,
    has: (op) => dispatcher.has(op) && !registry.isClaimed(op),
    isClaimed: (op) => registry.isClaimed(op) || routeOf(op) === "kernel",
    effectsOf: (op) => router.effectsOf(op),
    recordOf: (op) => registry.resolve(op),
    isPure: purityWithOwnOps(registry),
  };
}
