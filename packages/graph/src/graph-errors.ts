import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const GRAPH_ERRORS = {
  "graph.op-name": "a text is not the name of an operator",
  "graph.syntax": "a text form or a size expression cannot be read",
  "graph.import": "the program's parts contradict each other",
  "graph.depth": "graphs or expressions are nested deeper than any real program",
  "graph.invalid": "a graph breaks the rules that `validate` checks",
  "graph.json": "a JSON document is not a program of this version",
  "graph.sym-unbound": "a size depends on a symbol that has no value yet",
  "graph.sym-function": "a size uses a function that is not known",
  "graph.sym-arithmetic": "a size has no value, such as a division by zero",
  "graph.sym-size": "a size came out negative, fractional or too large",
  "graph.input-shape": "an input does not have the shape that the program expects",
  "graph.input-tree": "the inputs do not have the structure that the program expects",
  "graph.mutation": "a mutation has no functional form here",
} as const;

/** A code of {@link GRAPH_ERRORS}. */
export type GraphErrorCode = keyof typeof GRAPH_ERRORS;

/** Makes an error whose code is in the table. */
export function graphError(code: GraphErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
