import { requireOptions } from "@pt2/format/options";
import type { Arg, Graph, Node, OpName, Program } from "../ir.ts";
import { liveness } from "../query/liveness.ts";
import { mapGraphs, renameOutput } from "../query/map-node.ts";
import { definitionsOf, namesOf } from "../query/node-values.ts";
import { requireProgram } from "../validate/require-program.ts";
import { GraphBuilder } from "./graph-builder.ts";
import { type Inlinable, inlinable } from "./inline-rules.ts";
import { isFunctional } from "./mutating-names.ts";
import { NO_OP_RULES, type NoOpContext } from "./no-op-rules.ts";
import { orderedCheck } from "./ordered-checks.ts";
import { Substitution } from "./substitution.ts";
import { dropUnusedTokens } from "./unused-tokens.ts";

/** Options of {@link removeNoOps}. */
export interface RemoveNoOpsOptions {
  /**
   * Whether the backend supports any layout: then `contiguous`, `clone` and changes of memory format are removed too,
   * in programs without mutation. @default false: strides stay as in PyTorch.
   */
  readonly logicalViews?: boolean;
  /**
   * Keeps copies even if no op is known to mutate a tensor: names do not reveal the writes of every operator. @default
   * false
   */
  readonly keepCopies?: boolean;
  /** Returns whether the user defines what an operator does: then it is kept, whatever its name. @default none */
  readonly isClaimed?: (op: OpName) => boolean;
}

const OPTIONS: Readonly<Record<keyof RemoveNoOpsOptions, string>> = {
  logicalViews: "boolean",
  keepCopies: "boolean",
  isClaimed: "function",
};

/**
 * Removes nodes that compute nothing: detach, alias, dropout in eval mode, assertions about recorded metadata,
 * conversions without effect, views of the same shape. Inlines no-grad regions, disabled autocast and other transparent
 * wrappers. Copies are removed only where the program mutates no tensor.
 */
export function removeNoOps(program: Program, options: RemoveNoOpsOptions = {}): Program {
  requireProgram("removeNoOps()", program);
  requireOptions("removeNoOps()", options, OPTIONS, "graph.options");
  const functional = options.keepCopies !== true && isFunctional(program.graph);
  const { logicalViews = false, isClaimed = () => false } = options;
  const settings = { functional, logicalViews, isClaimed };
  const graph = new NoOpRemover(program.graph, settings).run();
  return graph === program.graph ? program : dropUnusedTokens({ ...program, graph });
}

type Settings = Pick<NoOpContext, "functional" | "logicalViews"> & Required<Pick<RemoveNoOpsOptions, "isClaimed">>;

class NoOpRemover {
  readonly #graph: Graph;
  readonly #builder: GraphBuilder;
  readonly #replaced = new Substitution();
  readonly #settings: Settings;
  readonly #context: NoOpContext;
  #changed = false;

  constructor(graph: Graph, settings: Settings) {
    const { uses } = liveness(graph);
    this.#graph = graph;
    this.#settings = settings;
    this.#builder = new GraphBuilder(graph);
    this.#context = {
      ...settings,
      isUsed: (name) => uses.get(name) !== 0,
      tensorType: (name) => {
        const type = name === undefined ? undefined : this.#builder.typeOf(name);
        return type?.kind === "tensor" ? type : null;
      },
    };
  }

  run(): Graph {
    for (const node of this.#graph.nodes) this.#node(node);
    if (!this.#changed) return this.#graph;
    return this.#builder.build(this.#graph.outputs.map((arg) => this.#replaced.arg(arg)));
  }

  #node(original: Node): void {
    const node = this.#replaced.node(original);
    const wrapped = inlinable(node);
    if (wrapped !== null) {
      this.#changed = true;
      this.#inline(node, wrapped);
      return;
    }
    const ordered = orderedCheck(node);
    if (ordered !== null) {
      this.#changed = true;
      const [token] = node.outputs.flatMap(namesOf);
      if (token !== undefined) this.#replaced.set(token, ordered.token);
      this.#node(ordered.check);
      return;
    }
    const rule = this.#settings.isClaimed(node.op) ? undefined : NO_OP_RULES.get(node.op);
    const result = rule?.(node, this.#context) ?? null;
    if (result === null) {
      const kept = mapGraphs(node, (graph) => new NoOpRemover(graph, this.#settings).run());
      this.#changed ||= kept !== original;
      this.#builder.push(kept);
      return;
    }
    this.#changed = true;
    if (result === "drop") return;
    const [name] = node.outputs.flatMap(namesOf);
    if (name !== undefined) this.#replaced.set(name, result);
  }

  /** Replaces `node` by the nodes of a nested graph, under new names. */
  #inline(node: Node, { graph, operands }: Inlinable): void {
    const inner = new Substitution();
    graph.inputs.forEach((input, i) => {
      if (input !== null) inner.bind(input, operands[i]!);
    });
    for (const nested of graph.nodes) {
      const names = new Map(definitionsOf(nested).map((name) => [name, this.#builder.fresh(name)]));
      const name = names.get(nested.name) ?? this.#builder.fresh(nested.name);
      const outputs = nested.outputs.map((output) => renameOutput(output, (old) => names.get(old) ?? old));
      const renamed = { ...inner.node(nested), name, outputs };
      for (const [from, to] of names) {
        inner.bind(from, { kind: "value", name: to });
        this.#builder.setType(to, graph.values.get(from));
      }
      this.#node(renamed);
    }
    const results = graph.outputs.map((arg) => inner.arg(arg));
    node.outputs.forEach((output, i) => {
      if (output.kind === "value") this.#replaced.set(output.name, results[i] as Arg);
    });
  }
}
