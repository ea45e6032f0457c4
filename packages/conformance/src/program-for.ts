import type { Backend } from "@pt2/backend";
import { type Program, parse } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import type { OpRegistry } from "@pt2/registry";

/** A program in text form, made functional as the runtime does where the backend wants it. */
export function programFor({ capabilities }: Backend, text: string, registry: OpRegistry): Program {
  const program = parse(text);
  return capabilities.mutation === true ? program : functionalize(program, registry.effectsOf);
}
