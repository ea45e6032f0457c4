import type { OpName } from "../../ir.ts";
import { isMutatingName } from "../mutating-names.ts";
import type { OpEffects } from "./effects.ts";

const VIEWS =
  /^aten::(select|slice|diagonal|as_strided|view|reshape|reshape_as|permute|transpose|unsqueeze|squeeze|expand|split|chunk|unbind|narrow|t|detach|alias|contiguous|to|flatten|movedim)(\.|$)/;

/** Those of them that are copies at times. */
const COPIES = /^aten::(reshape|reshape_as|contiguous|to|flatten)(\.|$)/;

/** Effects as the schemas of the operators used in tests give them. */
export function testEffects(op: OpName): OpEffects | undefined {
  if (isMutatingName(op)) return { mutates: ["self"], aliases: [{ output: 0, arg: "self" }] };
  if (!VIEWS.test(op)) return undefined;
  return { mutates: [], aliases: [{ output: 0, arg: "self", ...(COPIES.test(op) ? { copies: true } : {}) }] };
}
