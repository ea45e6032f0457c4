import { isSymbolic, type OpName, parseOpName, splitOpName } from "@pt2/graph";
import type { OpHandler } from "../handler.ts";
import { duplicate } from "../op-records.ts";
import { isWildcard, matcherOf, wildcardName } from "./wildcard.ts";

/** A handler whose name has wildcards. */
interface WildcardHandler {
  readonly name: string;
  readonly matches: (op: OpName) => boolean;
  readonly handler: OpHandler;
}

/** The handlers of a load, and which of them handles an op. */
export class HandlerTable {
  /** By the exact name, or by `ns::op.*` for every overload. */
  readonly #named = new Map<string, OpHandler>();
  /** Those that take precedence first. */
  readonly #wildcards: readonly WildcardHandler[];
  /** What was found for ops that only wildcards match. */
  readonly #found = new Map<OpName, OpHandler | undefined>();

  /**
   * Later handlers take precedence, but a second one of the same name needs `replace`. `prepared` makes the handler
   * that is called.
   */
  constructor(handlers: readonly OpHandler[], prepared: (handler: OpHandler) => OpHandler) {
    const owners = new Map<string, number>();
    const wildcards = new Map<string, WildcardHandler>();
    handlers.forEach((handler, at) => {
      const ready = prepared(handler);
      for (const text of handler.ops) {
        const name = isWildcard(text) ? wildcardName(text) : parseOpName(text);
        const earlier = owners.get(name);
        if (earlier !== undefined && (handler.replace !== true || earlier === at)) {
          throw duplicate(name, `handler ${earlier}`, `handler ${at}`);
        }
        owners.set(name, at);
        if (!isWildcard(text)) {
          this.#named.set(name, ready);
          continue;
        }
        // What replaces another one counts as registered now.
        wildcards.delete(name);
        wildcards.set(name, { name, matches: matcherOf(text), handler: ready });
      }
    });
    const literal = ({ name }: WildcardHandler): number => name.replaceAll("*", "").length;
    this.#wildcards = [...wildcards.values()].reverse().sort((a, b) => literal(b) - literal(a));
  }

  /** The exact names that handlers have. */
  get ops(): readonly OpName[] {
    return [...this.#named.keys()].filter((name) => !name.endsWith("*"));
  }

  /** The names that stand for several ops: `ns::op.*` and wildcards. */
  get patterns(): readonly string[] {
    const everyOverload = [...this.#named.keys()].filter((name) => name.endsWith("*"));
    return [...everyOverload, ...this.#wildcards.map(({ name }) => name)];
  }

  get hasWildcards(): boolean {
    return this.#wildcards.length > 0;
  }

  /** Returns the handler that names an op: by its exact name, or else for every overload. */
  named(op: OpName): OpHandler | undefined {
    if (this.#named.size === 0) return undefined;
    return this.#named.get(op) ?? this.#named.get(everyOverload(op));
  }

  /** Returns the handler of an op: one that names it, or else that of the wildcard with the most letters. */
  find(op: OpName): OpHandler | undefined {
    const named = this.named(op);
    if (named !== undefined || !this.hasWildcards) return named;
    if (this.#found.has(op)) return this.#found.get(op);
    const found = isMatchable(op) ? this.#wildcards.find(({ matches }) => matches(op))?.handler : undefined;
    this.#found.set(op, found);
    return found;
  }
}

/** Wildcards match ops on tensors. Control flow, arithmetic on sizes and ops of backends' own are not for them. */
function isMatchable(op: OpName): boolean {
  return !isSymbolic(op) && !/^(higher_order|mkldnn|pt2)::/.test(op);
}

function everyOverload(name: OpName): OpName {
  const { namespace, op } = splitOpName(name);
  return `${namespace}::${op}.*`;
}
