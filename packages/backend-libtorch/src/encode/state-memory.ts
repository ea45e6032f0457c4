import { definitionsOf, graphsOf, type OpName, type Program, usesOf } from "@pt2/graph";
import type { OpEffects } from "@pt2/graph/passes";
import { aliasedBy } from "./aliased-by.ts";

/** Which values share memory with weights and buffers. */
export class StateMemory {
  readonly #behind = new Map<string, readonly string[]>();

  /** `effectsOf` returns what an op aliases; undefined where that is unknown. */
  constructor({ graph, inputs }: Program, effectsOf: (op: OpName) => OpEffects | undefined) {
    for (const spec of inputs) if ("target" in spec && spec.value !== null) this.#behind.set(spec.value, [spec.value]);
    for (const node of graph.nodes) {
      const effects = graphsOf(node).length > 0 ? undefined : effectsOf(node.op);
      for (const [at, output] of node.outputs.entries()) {
        const from = effects === undefined ? usesOf(node) : aliasedBy(node, effects, at);
        const behind = [...new Set(from.flatMap((name) => this.behind(name)))];
        if (behind.length === 0) continue;
        for (const name of definitionsOf({ ...node, outputs: [output] })) this.#behind.set(name, behind);
      }
    }
  }

  /** Returns the placeholders of the weights and buffers whose memory a value may be. */
  behind(name: string): readonly string[] {
    return this.#behind.get(name) ?? [];
  }

  /** Whether a value has the memory of one weight or buffer, and of no other. */
  isOwn(placeholder: string): boolean {
    return this.behind(placeholder).length === 1;
  }
}
