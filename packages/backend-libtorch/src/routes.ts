import { isSymbolic, type Node, type OpName } from "@pt2/graph";
import type { OpEffects } from "@pt2/graph/passes";
import { effectsOf, effectsOfHandled, type HandlerFunction, type OpHandler, type OpRegistry } from "@pt2/registry";
import type { Dispatcher } from "./dispatcher.ts";
import type { LibtorchKernel } from "./handlers/kernel.ts";

/** Higher-order ops that the interpreter drives. */
const CONTROL_OPS: ReadonlySet<OpName> = new Set(
  [
    "cond",
    "while_loop",
    "while_loop_stack_output",
    "map_impl",
    "map",
    "scan",
    "associative_scan",
    "invoke_subgraph",
    "run_const_graph",
    "wrap",
    "strict_mode",
    "hints_wrapper",
    "wrap_with_set_grad_enabled",
    "wrap_with_autocast",
    "wrap_activation_checkpoint",
    "tag_activation_checkpoint",
    "auto_functionalized",
    "auto_functionalized_v2",
    "with_effects",
    "out_dtype",
  ].map((op) => `higher_order::${op}`),
);

/** Ops that always run by their records. */
const BY_RECORD: ReadonlySet<OpName> = new Set([
  // Programs of forward and backward pass attention weights to it where libtorch's kernel takes their logarithmic sums.
  "aten::_scaled_dot_product_flash_attention_for_cpu_backward",
  // Its zeros have no memory, which readers of results do not expect.
  "aten::_efficientzerotensor",
]);

/** How a node runs. */
export type Route =
  /** The dispatcher runs it. */
  | { readonly kind: "op" }
  /** The interpreter computes a number from numbers. */
  | { readonly kind: "scalar" }
  /** The interpreter drives nested graphs. */
  | { readonly kind: "control" }
  /** A JavaScript function runs it. */
  | { readonly kind: "handler"; readonly compile: NonNullable<OpHandler["compile"]> }
  | { readonly kind: "kernel"; readonly kernel: LibtorchKernel }
  /** A handler's `rewrite` or the op's decomposition expands it into other ops. */
  | { readonly kind: "expand" }
  /** It cannot run. */
  | { readonly kind: "missing"; readonly why: string };

const OP: Route = { kind: "op" };
const SCALAR: Route = { kind: "scalar" };
const CONTROL: Route = { kind: "control" };
const EXPAND: Route = { kind: "expand" };

/**
 * Decides how ops run: handlers first, then kernels of op packages, the dispatcher, and the records' decompositions. If
 * an op set has replaced an op, the dispatcher's op of the same name is not used.
 */
export class Router {
  readonly dispatcher: Dispatcher;
  readonly registry: OpRegistry;
  readonly #given: readonly LibtorchKernel[];
  readonly #kernels: ReadonlyMap<OpName, LibtorchKernel>;
  readonly #routes = new Map<OpName, Route>();
  /** Nodes that an expansion made are not expanded again. */
  readonly #expanded = new WeakSet<Node>();
  #plain: Router | undefined;

  /** The first kernel of an op wins. */
  constructor(dispatcher: Dispatcher, registry: OpRegistry, kernels: readonly LibtorchKernel[]) {
    this.dispatcher = dispatcher;
    this.registry = registry;
    this.#given = kernels;
    this.#kernels = new Map(kernels.flatMap((kernel) => kernel.ops.map((op) => [op, kernel] as const)).reverse());
  }

  routeOf(node: Node): Route {
    const { op } = node;
    return this.#expanded.has(node) ? this.#ownRoute(op) : this.#routeOf(op);
  }

  /** Returns how a program's nodes of an op run. */
  kindOf(op: OpName): Route["kind"] {
    return this.#routeOf(op).kind;
  }

  /** The routes of ops that functions of handlers call: no wildcard matches them. */
  get withoutWildcards(): Router {
    const { withoutWildcards } = this.registry;
    if (withoutWildcards === undefined) return this;
    this.#plain ??= new Router(this.dispatcher, withoutWildcards, this.#given);
    return this.#plain;
  }

  /** Marks a node that an expansion made, so that it is not expanded again. */
  markExpanded(node: Node): Node {
    this.#expanded.add(node);
    return node;
  }

  /** Returns whether an op that a decomposition calls needs no further decomposition. */
  runs(op: OpName): boolean {
    if (this.#kernels.has(op) || this.#computeOf(op) !== undefined) return true;
    return this.dispatcher.has(op) && !this.registry.isReplaced(op) && !BY_RECORD.has(op);
  }

  /** Returns what an op writes to and aliases; undefined where that is unknown. */
  effectsOf(op: OpName): OpEffects | undefined {
    const schema = this.registry.resolve(op) === undefined ? this.dispatcher.schema(op) : null;
    const handler = this.registry.handlerOf(op);
    // A wildcard gets PyTorch's ops as they are when the program is functional.
    const isNamed = this.withoutWildcards.registry.handlerOf(op) !== undefined;
    if (schema !== null)
      return handler && isNamed ? effectsOfHandled({ name: op, schema }, handler) : effectsOf({ schema });
    const effects = this.registry.effectsOf(op);
    // A kernel gets copies of what it writes to; its writes are read from the copies.
    if (handler !== undefined || effects === undefined || !this.#kernels.has(op)) return effects;
    // A kernel does not return views of its arguments either, unless a record of the user's says so.
    const { inverse, ...rest } = effects;
    const views = inverse !== undefined && this.registry.userSetOf(op) !== undefined;
    return { ...rest, functional: op, claimed: true, ...(views ? { inverse } : {}) };
  }

  #routeOf(op: OpName): Route {
    const known = this.#routes.get(op);
    if (known !== undefined) return known;
    const route = this.#find(op);
    this.#routes.set(op, route);
    return route;
  }

  #find(op: OpName): Route {
    if (CONTROL_OPS.has(op)) return CONTROL;
    const handler = this.registry.handlerOf(op);
    if (handler?.compile !== undefined) return { kind: "handler", compile: handler.compile.bind(handler) };
    // Without a record, only a handler that names the op can know what it means.
    const isKnown = this.registry.resolve(op) !== undefined || !this.dispatcher.has(op);
    const isNamed = this.withoutWildcards.registry.handlerOf(op) !== undefined;
    if (handler?.rewrite !== undefined && (isKnown || isNamed)) return EXPAND;
    const own = this.#ownRoute(op);
    const replaced = own.kind === "op" && (this.registry.isReplaced(op) || BY_RECORD.has(op));
    if (!replaced && (own.kind !== "missing" || this.dispatcher.refusal(op) !== null)) return own;
    const record = this.registry.resolve(op);
    if ((record?.scalar ?? record?.view ?? record?.decompose) !== undefined) return EXPAND;
    const why = this.registry.lackOf(op, "libtorch");
    return why === null ? own : { kind: "missing", why: own.kind === "missing" ? `${own.why}, and ${why}` : why };
  }

  /** Returns how an op runs without its handler and its record. */
  #ownRoute(op: OpName): Route {
    const kernel = this.#kernels.get(op);
    if (kernel !== undefined) return { kind: "kernel", kernel };
    if (isSymbolic(op) && !op.startsWith("aten::")) return SCALAR;
    const problem = this.dispatcher.problem(op);
    if (problem === null) return OP;
    const compute = this.#computeOf(op);
    return compute === undefined ? { kind: "missing", why: problem } : { kind: "handler", compile: () => compute };
  }

  /** Returns the function by which a record computes an op that libtorch does not have. */
  #computeOf(op: OpName): HandlerFunction | undefined {
    const { compute, decompose } = this.registry.resolve(op) ?? {};
    if (compute === undefined || decompose !== undefined || this.dispatcher.has(op)) return undefined;
    return ({ args }) => compute(args);
  }
}
