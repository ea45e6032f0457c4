import type { argOf, InputSpec, Node, Program } from "@pt2/graph";
import { functionalize } from "@pt2/graph/functionalize";
import { isFunctional } from "@pt2/graph/passes";
import type { OptimizeTarget } from "./target.ts";

/**
 * The program without in-place ops, except for copies at its end that bring buffers up to date: patterns can then be
 * recognised by values alone, and what only weights lead to (Swin's masks, which it writes piece by piece) is constant.
 * Writes to user inputs are left out, as a run never changes what it is given. Signature and results stay as they are.
 */
export function makeFunctional(program: Program, target: OptimizeTarget): Program {
  return isFunctional(program.graph) ? program : functionalWith(program, target.effectsOf);
}

/** The same by what is known of effects alone, whatever names say. */
export function functionalWith(program: Program, effectsOf: OptimizeTarget["effectsOf"]): Program {
  const functional = functionalize(program, effectsOf);
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

/** Whether an op that a handler takes writes in place: the handler must then see that op itself. */
export function hasClaimedWrites({ graph }: Program, target: OptimizeTarget): boolean {
  return graph.nodes.some(({ op }) => target.isClaimed(op) && target.effectsOf(op)?.mutates.length !== 0);
}
