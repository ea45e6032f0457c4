import { type Arg, definitionsOf, graphsOf, type Node, type OpName, type Program, usesOf, valuesOf } from "@pt2/graph";
import { GraphBuilder, type OpEffects } from "@pt2/graph/passes";
import { aliasedBy } from "./aliased-by.ts";
import type { CommittedProgram } from "./commits.ts";
import { emitCopy } from "./emit-copy.ts";

/**
 * Copies results that may be in the memory of a buffer's new value: who gets a result may change it, and the buffer is not
 * to change with it. `update` is the node that writes in place: it stays the last one.
 */
export function withOwnResults(
  { program, commits, update = null }: CommittedProgram & { readonly update?: Node | null },
  effectsOf: (op: OpName) => OpEffects | undefined,
): Program {
  if (commits.length === 0) return program;
  const { graph } = program;
  const memory = new SharedMemory(program, effectsOf);
  const taken = new Set<string>();
  const committed = new Set(commits.map(({ output }) => output));
  const copied = new Map<string, string>();
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) if (node !== update) builder.push(node);
  const own = (arg: Arg): Arg => {
    if (arg.kind === "list") return { ...arg, items: arg.items.map(own) } as Arg;
    if (arg.kind !== "value" || !taken.has(memory.of(arg.name))) return arg;
    const copy = copied.get(arg.name) ?? emitCopy(builder, arg.name, "result");
    copied.set(arg.name, copy);
    return { ...arg, name: copy };
  };
  const outputs = [...graph.outputs];
  for (const i of committed) {
    // Two buffers do not get one memory.
    outputs[i] = own(outputs[i]!);
    for (const name of valuesOf(graph.outputs[i]!)) taken.add(memory.of(name));
    copied.clear();
  }
  for (const [i, arg] of outputs.entries()) if (!committed.has(i)) outputs[i] = own(arg);
  if (update !== null) builder.push(update);
  const isSame = outputs.every((arg, i) => arg === graph.outputs[i]);
  return isSame ? program : { ...program, graph: builder.build(outputs) };
}

/** Which values may be in one memory. */
class SharedMemory {
  readonly #next = new Map<string, string>();

  constructor({ graph }: Program, effectsOf: (op: OpName) => OpEffects | undefined) {
    for (const node of graph.nodes) {
      const effects = graphsOf(node).length > 0 ? undefined : effectsOf(node.op);
      for (const [at, output] of node.outputs.entries()) {
        const from = effects === undefined ? usesOf(node) : aliasedBy(node, effects, at);
        this.#join([...definitionsOf({ ...node, outputs: [output] }), ...from]);
      }
    }
  }

  /** Names the memory of a value. */
  of(name: string): string {
    let last = name;
    for (let next = this.#next.get(last); next !== undefined; next = this.#next.get(last)) last = next;
    if (last !== name) this.#next.set(name, last);
    return last;
  }

  #join([first, ...others]: readonly string[]): void {
    for (const other of others) {
      const [a, b] = [this.of(first!), this.of(other)];
      if (a !== b) this.#next.set(b, a);
    }
  }
}
