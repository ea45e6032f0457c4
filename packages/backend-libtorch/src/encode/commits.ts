import { type Arg, isStateMutation, type Node, type OutputSpec, type Program, type TensorType } from "@pt2/graph";
import { separateUpdates, type Updates } from "./separate-updates.ts";

/** A result that becomes the value of a buffer or parameter once a run has succeeded. */
export interface Commit {
  /** The position among the results. */
  readonly output: number;
  readonly target: string;
}

/** A program whose writes to its state are in its nodes or in `commits`. */
export interface CommittedProgram {
  readonly program: Program;
  readonly commits: readonly Commit[];
}

/**
 * Finds the results that are new values of buffers. Where a new value cannot simply replace the old one (other tensors
 * share its memory, or two buffers would share that of the result) the program itself copies it.
 */
export function commitsOf(program: Program, memory: Omit<Updates, "nodes">): CommittedProgram {
  const { graph, inputs, outputs } = program;
  const values = new Map(inputs.flatMap((spec) => ("target" in spec ? [[spec.target, spec.value] as const] : [])));
  const seen = new Set<string>(graph.inputs.filter((name) => name !== null));
  const commits: Commit[] = [];
  const copies: Node[] = [];
  const [results, specs]: [Arg[], OutputSpec[]] = [[], []];
  for (const [output, spec] of outputs.entries()) {
    const result = graph.outputs[output]!;
    const value = isStateMutation(spec) ? values.get(spec.target) : undefined;
    if (isStateMutation(spec) && result.kind === "value" && result.name !== value) {
      const fresh = !seen.has(result.name) && !memory.isShared(spec.target);
      seen.add(result.name);
      if (!fresh && value !== undefined) {
        // What a node writes is no result, or passes would take the write for one that is in the results already.
        copies.push(copyNode(value, result.name, copies.length));
        continue;
      }
      commits.push({ output: results.length, target: spec.target });
    }
    results.push(result);
    specs.push(spec);
  }
  if (copies.length === 0) return { program, commits };
  const copying = {
    ...program,
    graph: { ...graph, nodes: [...graph.nodes, ...copies], outputs: results },
    outputs: specs,
  };
  return { program: separateUpdates(copying, { ...memory, nodes: copies }), commits };
}

function copyNode(target: string, source: string, count: number): Node {
  return {
    name: `commit_${count}`,
    op: "aten::copy_",
    args: [
      { name: "self", arg: { kind: "value", name: target } },
      { name: "src", arg: { kind: "value", name: source } },
    ],
    outputs: [{ kind: "none" }],
    origin: {},
  };
}

/** Returns whether a type has this dtype and shape; unknown sizes are not compared. */
export function fitsType(type: TensorType, dtype: string, shape: readonly number[]): boolean {
  return (
    type.dtype === dtype &&
    type.shape.length === shape.length &&
    type.shape.every((size, d) => typeof size === "object" || Number(size) === shape[d])
  );
}
