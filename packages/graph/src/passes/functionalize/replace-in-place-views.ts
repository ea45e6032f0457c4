import { requireArgument } from "@pt2/format/options";
import type { Graph, Node, OpName, Program, ValueType } from "../../ir.ts";
import { mapGraphs } from "../../query/map-node.ts";
import { namesOf, valuesOf } from "../../query/node-values.ts";
import { requireProgram } from "../../validate/require-program.ts";
import { GraphBuilder } from "../graph-builder.ts";
import { isMutatingName } from "../mutating-names.ts";
import { NO_OP_RULES, type NoOpContext } from "../no-op-rules.ts";
import { Substitution } from "../substitution.ts";
import { IN_PLACE_VIEWS } from "./functional-names.ts";
import { keepLayouts } from "./keep-layouts.ts";

/**
 * Replaces `t_(x)` and its like by views, which all that reads `x` later reads. They give a tensor other sizes, and neither its views
 * nor what `detach` and `alias` made of it before: these must not be taken for the tensor itself afterwards.
 */
export function replaceInPlaceViews(program: Program, isClaimed: (op: OpName) => boolean): Program {
  requireProgram("replaceInPlaceViews()", program);
  requireArgument("replaceInPlaceViews()", "isClaimed", isClaimed, "function", "graph.options");
  const objects = new Objects(program.graph);
  const { graph, current } = replaced(program.graph, isClaimed, objects);
  return keepLayouts(
    { ...program, graph },
    {
      before: program.graph,
      last: (name) => current.arg({ kind: "value", name }),
      sameAs: (name) => objects.sameAs(name),
    },
  );
}

function replaced(
  graph: Graph,
  isClaimed: (op: OpName) => boolean,
  objects = new Objects(graph),
): { readonly graph: Graph; readonly current: Substitution } {
  const builder = new GraphBuilder(graph);
  const current = new Substitution();
  for (const original of graph.nodes) {
    const view = isClaimed(original.op) ? undefined : IN_PLACE_VIEWS.get(original.op);
    const node = mapGraphs(current.node(original), (nested) => replaced(nested, isClaimed).graph);
    if (view === undefined) {
      builder.push(node);
      objects.add(original);
      continue;
    }
    const [name = builder.fresh(original.name)] = original.outputs.flatMap(namesOf);
    builder.push({ ...node, op: view, outputs: [{ kind: "value", name }] });
    objects.add(original);
    for (const other of objects.sameAs(selfOf(original)!)) {
      if (other !== name) current.bind(other, { kind: "value", name });
    }
  }
  return { graph: builder.build(graph.outputs.map((arg) => current.arg(arg))), current };
}

/** The argument that an in-place op writes to and returns. */
function selfOf({ args }: Node): string | undefined {
  return args[0] && valuesOf(args[0].arg)[0];
}

/** Ops that return their argument where they have nothing to do; others make a new tensor of the same memory. */
const RETURN_ARGUMENT =
  /^aten::(contiguous|to\.|type_as|_cast_|positive|lift|requires_grad_|\w*dropout|conj_physical$)/;

/** Names of one tensor, which is what in-place ops return. */
class Objects {
  readonly #names = new Map<string, string[]>();
  readonly #context: NoOpContext;

  constructor({ values }: Graph) {
    const tensorType = (type: ValueType | undefined): ReturnType<NoOpContext["tensorType"]> =>
      type?.kind === "tensor" ? type : null;
    this.#context = {
      tensorType: (name) => tensorType(name === undefined ? undefined : values.get(name)),
      isUsed: () => true,
      functional: false,
      logicalViews: false,
    };
  }

  sameAs(name: string): readonly string[] {
    return this.#names.get(name) ?? [name];
  }

  add(node: Node): void {
    const [self, [result]] = [selfOf(node), node.outputs.flatMap(namesOf)];
    if (self === undefined || result === undefined || !this.#isArgument(node)) return;
    const names = this.#names.get(self) ?? [self];
    names.push(result);
    this.#names.set(self, names);
    this.#names.set(result, names);
  }

  #isArgument(node: Node): boolean {
    if (!RETURN_ARGUMENT.test(node.op)) return isMutatingName(node.op);
    const argument = NO_OP_RULES.get(node.op)?.(node, this.#context) ?? null;
    return argument !== null && argument !== "drop";
  }
}
