import type { OpName } from "../../ir.ts";
import { isMutatingName } from "../mutating-names.ts";
import type { OpEffects, ViewInverse } from "./effects.ts";

const VIEWS =
  /^aten::(select|slice|diagonal|as_strided|view|reshape|reshape_as|permute|transpose|unsqueeze|squeeze|expand|split|chunk|unbind|narrow|t|detach|alias|contiguous|to|flatten|movedim)(\.|$)/;

/** Those of them that are copies at times. */
const COPIES = /^aten::(reshape|reshape_as|contiguous|to|flatten)(\.|$)/;

/** The inverses of these views, by the first part of their names. */
const INVERSES: readonly (readonly [name: RegExp, inverse: ViewInverse])[] = [
  [/^aten::(view|reshape|squeeze|unsqueeze|flatten)/, "reshape"],
  [/^aten::permute$/, "permute"],
  [/^aten::movedim/, "move"],
  [/^aten::narrow$/, "narrow"],
  [/^aten::select/, { scatter: "aten::select_scatter" }],
  [/^aten::slice/, { scatter: "aten::slice_scatter" }],
  [/^aten::diagonal$/, { scatter: "aten::diagonal_scatter" }],
  [/^aten::as_strided$/, { scatter: "aten::as_strided_scatter" }],
  [/^aten::(split|chunk)/, { join: "aten::cat" }],
  [/^aten::unbind/, { join: "aten::stack" }],
  [/^aten::transpose/, { undo: "aten::transpose.int" }],
  [/^aten::t$/, { undo: "aten::t" }],
];

/** Effects as the records of the operators used in tests give them. */
export function testEffects(op: OpName): OpEffects | undefined {
  if (isMutatingName(op)) return { mutates: ["self"], aliases: [{ output: 0, arg: "self" }] };
  if (!VIEWS.test(op)) return undefined;
  const inverse = INVERSES.find(([name]) => name.test(op))?.[1];
  return {
    mutates: [],
    aliases: [{ output: 0, arg: "self", ...(COPIES.test(op) ? { copies: true } : {}) }],
    ...(inverse === undefined ? {} : { inverse }),
  };
}
