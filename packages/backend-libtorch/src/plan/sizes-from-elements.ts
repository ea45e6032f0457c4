import { type Program, printSym, type SymInt, type ValueType } from "@pt2/graph";

/** What PyTorch calls sizes that no input has: those of `nonzero`, or numbers that `item` gave. */
const UNBACKED = /\bu\d+\b/;

/** Whether some size in a program depends on elements. */
export function hasSizesFromElements(program: Program): boolean {
  return [...program.graph.values.values()].some((type) => sizesOf(type).some((size) => UNBACKED.test(printSym(size))));
}

function sizesOf(type: ValueType): readonly SymInt[] {
  if (type.kind === "tensor") return type.shape;
  return type.kind === "symint" && type.value !== null ? [type.value] : [];
}
