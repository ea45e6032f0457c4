import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Every error code of this package with its meaning. */
export const GRAPH_ERRORS = {
  "graph.op-name": "a string is not the name of an operator",
  "graph.syntax": "a text form or a size expression cannot be read",
  "graph.import": "the program is inconsistent: its graph, signature and types do not match",
  "graph.export": "a program has something that a .pt2 file cannot have",
  "graph.depth": "graphs or expressions are nested too deeply",
  "graph.invalid": "a graph breaks the rules that `validate` checks",
  "graph.json": "a JSON document is not a program of this version",
  "graph.sym-unbound": "a size depends on a symbol without a value",
  "graph.sym-function": "a size uses an unknown function",
  "graph.sym-arithmetic": "a size has no value, such as a division by zero",
  "graph.sym-size": "a size came out negative, fractional or too large",
  "graph.input-shape": "an input does not have the shape that the program expects",
  "graph.guard": "a condition that a program holds only under cannot be checked",
  "graph.input-tree": "the inputs do not have the structure that the program expects",
  "graph.options": "a function was given no program or graph, or an option does not exist or has an impossible value",
  "graph.mutation": "a mutation cannot be converted to functional form",
} as const;

/** A code of {@link GRAPH_ERRORS}. */
export type GraphErrorCode = keyof typeof GRAPH_ERRORS;

/** Creates an error with a code of the table. */
export function graphError(code: GraphErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}
