import type { Backend } from "@pt2/backend";
import { type Program, parse } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import type { OpRegistry } from "@pt2/registry";

/** Parses a program and functionalizes it as the runtime does, if the backend needs that. */
export function programFor({ capabilities }: Backend, text: string, registry: OpRegistry): Program {
  const program = parse(text);
  return capabilities.mutation === true ? program : functionalize(program, registry.effectsOf);
}
