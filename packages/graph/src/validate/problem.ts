/** The problems of a graph, with the meaning of each code. */
export const PROBLEMS = {
  "duplicate-definition": "a value is defined twice",
  "duplicate-node": "two nodes of a graph have the same name",
  "duplicate-argument": "a node has two arguments of the same name",
  "undefined-value": "a value is used before it is defined, or never defined",
  "untyped-value": "a defined value has no type",
  "orphan-type": "a type is recorded for a value that nothing defines",
  rank: "a tensor has different numbers of strides and sizes",
  "op-name": "an operator's name is not in canonical form",
  signature: "the signature and the graph do not fit together",
  tree: "a pytree and the signature have different numbers of leaves",
  operands: "a nested graph does not fit the operands or results of its node",
} as const;

/** A code of {@link PROBLEMS}. */
export type ProblemCode = keyof typeof PROBLEMS;

/** One broken rule. */
export interface Problem {
  readonly code: ProblemCode;
  readonly message: string;
  /** The names of the nested graphs, and the node or value concerned. */
  readonly where: string;
}
