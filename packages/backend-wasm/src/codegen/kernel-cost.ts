import { fold, withChildren } from "@pt2/registry/scalar";
import type { ElementwiseSpec } from "./step.ts";

/** Functions that are an instruction or a few; a function that is none of them is a polynomial, or a call. */
const INSTRUCTIONS: ReadonlySet<string> = new Set(
  ["neg", "abs", "sign", "ceil", "floor", "trunc", "round", "sqrt", "not", "isnan", "isinf"].concat([
    "add",
    "sub",
    "mul",
    "div",
    "max",
    "min",
    "eq",
    "ne",
    "lt",
    "le",
    "gt",
    "ge",
    "and",
    "or",
    "xor",
    "shl",
    "shr",
  ]),
);

/** Nanoseconds of an operand that is loaded or stored, of an instruction, and of any other function. */
const COST = { operand: 0.06, instruction: 0.06, function: 0.8 } as const;

/** What one element of a loop takes, roughly, in nanoseconds. */
export function nanosecondsEach({ inputs, outputs }: ElementwiseSpec): number {
  let nanoseconds = COST.operand * (inputs.length + outputs.length);
  fold<void>(outputs, (node, of) => {
    withChildren(node, (child) => {
      of(child);
      return child;
    });
    if (node.kind === "input" || node.kind === "const") return;
    const isFunction = (node.kind === "unary" || node.kind === "binary") && !INSTRUCTIONS.has(node.fn);
    nanoseconds += isFunction ? COST.function : COST.instruction;
  });
  return nanoseconds;
}
