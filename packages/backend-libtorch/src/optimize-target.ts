import { effectsOf, type OpEffects } from "@pt2/registry";
import { type OptimizeTarget, purity } from "./optimize/target.ts";
import type { Router } from "./routes.ts";

/** What the passes of precision `fast` may count on: the ops that run here, and what their schemas say of them. */
export function optimizeTarget(router: Router): OptimizeTarget {
  const { dispatcher, registry } = router;
  const effects = (op: string): OpEffects | undefined => {
    const known = registry.effectsOf(op);
    if (known !== undefined) return known;
    const schema = dispatcher.schema(op);
    return schema === null ? undefined : effectsOf({ schema });
  };
  return {
    has: (op) => dispatcher.has(op),
    isClaimed: (op) => ["handler", "kernel", "expand"].includes(router.kindOf(op)),
    effectsOf: effects,
    isPure: purity(registry),
  };
}
