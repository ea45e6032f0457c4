import type { Capabilities } from "@pt2/backend";
import type { Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import type { OpRegistry } from "@pt2/registry";
import { simplify, tidy } from "./passes.ts";

/** The passes between a file and a backend, in their order: functional, unless the backend runs mutation as it is. */
export function prepare(
  imported: Program,
  registry: OpRegistry,
  capabilities: Pick<Capabilities, "mutation"> = {},
): Program {
  const tidied = tidy(imported, capabilities);
  return simplify(capabilities.mutation ? tidied : functionalize(tidied, registry.effectsOf), registry);
}
