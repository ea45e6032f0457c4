import type { OpName } from "../ir.ts";
import type { OpEffects } from "../passes/functionalize/effects.ts";
import { isMutatingName } from "../passes/mutating-names.ts";

const VIEWS =
  /^aten::(select|slice|diagonal|as_strided|view|reshape|reshape_as|permute|transpose|unsqueeze|squeeze|expand|split|chunk|unbind|narrow|t|detach|alias|contiguous|to|flatten|movedim)(\.|$)/;

/** Effects as the schemas of the operators used in tests give them. */
export function testEffects(op: OpName): OpEffects | undefined {
  if (isMutatingName(op)) return { mutates: ["self"], aliases: [{ output: 0, arg: "self" }] };
  return VIEWS.test(op) ? { mutates: [], aliases: [{ output: 0, arg: "self" }] } : undefined;
}
