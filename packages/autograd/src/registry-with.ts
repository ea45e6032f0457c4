// Makes the registry for programs with ops of users; it is loaded only for these.
import { createRegistry, type OpRegistry, type OpSet } from "@pt2/registry";
import { atenOnDemand } from "@pt2/registry/on-demand";
import { checkedSet } from "./checked-gradient.ts";

/** PyTorch's own ops, and those of a user. */
export function registryWith(ops: readonly OpSet[]): OpRegistry {
  return createRegistry({ sets: [...atenOnDemand, ...ops.map(checkedSet)] });
}
