import type { UnsupportedOp } from "@pt2/backend";
import { findUnsupported } from "@pt2/engine";
import { DTYPES, type DType } from "@pt2/format";
import { type Graph, type Node, type Program, stats, usesOf, walk } from "@pt2/graph";
import { mapGraphs, mutates } from "@pt2/graph/passes";
import { describeNode } from "@pt2/registry";
import { inlineEffects } from "./encode/inline-effects.ts";
import { functionalWith } from "./optimize/functional.ts";
import type { Router } from "./routes.ts";

/** libtorch has every dtype that an archive can hold. */
export const LIBTORCH_DTYPES: readonly DType[] = Object.keys(DTYPES) as DType[];

/** Lists the ops of a program that neither libtorch nor a handler nor a decomposition can run. */
async function unsupportedOps(program: Program, router: Router): Promise<readonly UnsupportedOp[]> {
  const missing = new Map<string, UnsupportedOp>();
  const add = (node: Node, why: string): void => {
    const { count, where, why: first } = missing.get(node.op) ?? { count: 0, where: describeNode(node), why };
    missing.set(node.op, { op: node.op, count: count + 1, where, why: first });
  };
  let expands = false;
  walk(program.graph, (node, graph) => {
    const route = router.routeOf(node);
    expands ||= route.kind === "expand";
    if (route.kind === "missing") add(node, route.why);
    else if (takesObject(node, graph)) add(node, "it takes an object of a TorchScript class, and there is none here");
  });
  return expands ? [...missing.values(), ...(await unexpandable(program, router))] : [...missing.values()];
}

/** What is known of a program before it is compiled. */
export interface Examined {
  /** The program without effect tokens, and functional where it must be. */
  readonly program: Program;
  /** Whether it was made functional: nodes with names of in-place ops only compute. */
  readonly functional: boolean;
  /** Ops that neither libtorch nor a handler nor a decomposition can run. */
  readonly missing: readonly UnsupportedOp[];
}

/** Examines programs, each once: loading a model asks what is unsupported, and then compiles the same program. */
export class Abilities {
  readonly router: Router;
  readonly #known = new WeakMap<Program, Promise<Examined>>();

  constructor(router: Router) {
    this.router = router;
  }

  examine(program: Program): Promise<Examined> {
    const known = this.#known.get(program);
    if (known !== undefined) return known;
    const examined = this.#examine(program);
    this.#known.set(program, examined);
    // The next call tries again: what could not be loaded may be there then.
    examined.catch(() => this.#known.delete(program));
    return examined;
  }

  async #examine(program: Program): Promise<Examined> {
    const { router } = this;
    const inlined = inlineEffects(program, (op) => router.dispatcher.schema(op));
    await loadRecords(inlined, router);
    const functional = needsFunctional(inlined, router);
    const runnable = functional ? functionalWith(inlined, (op) => router.effectsOf(op)) : inlined;
    if (functional) await loadRecords(runnable, router);
    return { program: runnable, functional, missing: await unsupportedOps(runnable, router) };
  }
}

/** Loads the records of a program's ops, and those of all other ops where one of them is expanded. */
async function loadRecords({ graph }: Program, router: Router): Promise<void> {
  await router.registry.load(stats(graph).map(({ op }) => op));
  let expands = false;
  walk(graph, (node) => {
    expands ||= router.routeOf(node).kind === "expand";
  });
  // An op whose sizes are unknown at load is expanded in the middle of a run, which may be one that cannot wait.
  if (expands) await router.registry.load("all");
}

/**
 * Returns whether the analysis could miss what a program writes: only ops of the dispatcher share memory. An expanded
 * view is a copy, and an expanded in-place op returns a new tensor.
 */
function needsFunctional({ graph }: Program, router: Router): boolean {
  let shares = false;
  walk(graph, (node) => {
    const { kind } = router.routeOf(node);
    if (shares || (kind !== "handler" && kind !== "kernel" && kind !== "expand")) return;
    const effects = router.effectsOf(node.op);
    shares = effects === undefined || effects.opaque === true || effects.mutates.length + effects.aliases.length > 0;
  });
  return shares && mutates(graph, (op) => router.effectsOf(op));
}

/** Lists ops whose decompositions end in an op that cannot run. Only ops that libtorch lacks are expanded for that. */
async function unexpandable(program: Program, router: Router): Promise<readonly UnsupportedOp[]> {
  const only = (graph: Graph): Graph => ({
    ...graph,
    nodes: graph.nodes.filter(concerned).map((node) => mapGraphs(node, only)),
  });
  const concerned = (node: Node): boolean => {
    const { kind } = router.routeOf(node);
    return kind === "expand" || kind === "control";
  };
  const target = { name: "libtorch", isNative: (op: string) => router.runs(op) };
  const abilities = { target, dtypes: LIBTORCH_DTYPES, hasDynamicKernel: (op: string) => router.runs(op) };
  const found = await findUnsupported({ ...program, graph: only(program.graph) }, router.registry, abilities);
  return found.filter(({ op }) => router.kindOf(op) === "expand");
}

function takesObject(node: Node, { values }: Graph): boolean {
  return usesOf(node).some((name) => values.get(name)?.kind === "object");
}
