import { argOf, type InputSpec, type Node, type Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { GraphBuilder, isFunctional, mapValues } from "@pt2/graph/passes";
import type { OptimizeTarget } from "./target.ts";

/**
 * Returns the program without in-place ops, except for copies at its end that update buffers: patterns can then be
 * recognized by values alone, and values that depend on weights only (Swin's masks, which it writes piece by piece) are
 * constant. Writes to user inputs are removed, as a run never changes its inputs. Signature and results stay as they
 * are.
 */
export function makeFunctional(program: Program, target: OptimizeTarget): Program {
  return isFunctional(program.graph) ? program : functionalWith(program, target.effectsOf);
}

/** Does the same with the known effects of ops, whatever their names. */
export function functionalWith(program: Program, effectsOf: OptimizeTarget["effectsOf"]): Program {
  const functional = withComputedMarks(functionalize(program, effectsOf));
  const extra = functional.outputs.length - program.outputs.length;
  if (extra === 0) return functional;
  const { graph, outputs, inputs } = functional;
  const copies = outputs.slice(0, extra).flatMap((spec, i): Node[] => {
    const buffer = inputs.find((input) => "target" in input && "target" in spec && input.target === spec.target);
    return buffer === undefined || spec.kind === "user_input_mutation" ? [] : [update(buffer, graph.outputs[i]!, i)];
  });
  return {
    ...functional,
    graph: { ...graph, nodes: [...graph.nodes, ...copies], outputs: graph.outputs.slice(extra) },
    outputs: outputs.slice(extra),
  };
}

/**
 * Computes what PyTorch may have marked as a conjugate or as negated where a view needs the numbers themselves: what was
 * written to a tensor is its content now, and may be marked where the tensor was not.
 */
function withComputedMarks(program: Program): Program {
  if (!program.graph.nodes.some(({ op }) => BY_NUMBERS.has(op))) return program;
  const builder = new GraphBuilder(program.graph);
  for (const node of program.graph.nodes) {
    const self = BY_NUMBERS.has(node.op) ? argOf(node, "self") : undefined;
    if (self?.kind !== "value") {
      builder.push(node);
      continue;
    }
    const results = [{ name: `${self.name}_computed`, type: builder.typeOf(self.name) }];
    const computed = (["aten::resolve_conj", "aten::resolve_neg"] as const).reduce(
      (name, op) =>
        builder.emit({ op, args: [{ name: "self", arg: { kind: "value", name } }], results, origin: node.origin })[0]!,
      self.name,
    );
    builder.push(mapValues(node, (name) => ({ kind: "value", name: name === self.name ? computed : name })));
  }
  return { ...program, graph: builder.build(program.graph.outputs) };
}

/** Views that PyTorch refuses of a tensor that is marked. */
const BY_NUMBERS: ReadonlySet<string> = new Set(["aten::view_as_real", "aten::view.dtype"]);

function update(buffer: InputSpec, value: NonNullable<ReturnType<typeof argOf>>, count: number): Node {
  const self = "value" in buffer && buffer.value !== null ? buffer.value : "";
  return {
    name: `update_${count}`,
    op: "aten::copy_",
    args: [
      { name: "self", arg: { kind: "value", name: self } },
      { name: "src", arg: value },
    ],
    outputs: [{ kind: "none" }],
    origin: {},
  };
}

/** Returns whether an op that a handler takes writes in place: the handler must then get that op itself. */
export function hasClaimedWrites({ graph }: Program, target: OptimizeTarget): boolean {
  return graph.nodes.some(({ op }) => target.isClaimed(op) && target.effectsOf(op)?.mutates.length !== 0);
}
