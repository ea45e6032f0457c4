import { type OpName, parseOpName } from "@pt2/graph";
import type { OpHandler } from "../handler.ts";
import type { OpRecord } from "../op.ts";
import { duplicate } from "../op-records.ts";
import type { OpSet } from "../op-set.ts";
import { registryError } from "../registry-errors.ts";
import { printSchema } from "../schema/print-schema.ts";
import { opsOf } from "./package-kernels.ts";
import { isWildcard, matcherOf, wildcardName } from "./wildcard.ts";

/** What a library takes: an op set, one op as `defineOp` returns it, or a handler. */
export type LibraryItem = OpSet | OpRecord | OpHandler;

/** What `register` returns: the means to take back what was registered. */
export interface Registration {
  /** Takes back what was registered. What it had replaced is there again. A second call has no effect. */
  dispose(): void;
  [Symbol.dispose](): void;
}

/** One op or handler of a library. */
export interface LibraryEntry {
  /** The op; for a handler the name it has, which may have wildcards. */
  readonly op: OpName;
  /** The schema as PyTorch writes it; null for what only a handler has. */
  readonly schema: string | null;
  /** The name of the op set; null for ops and handlers that were registered alone. */
  readonly package: string | null;
  /** The version of the op set; null if it states none. */
  readonly version: string | null;
  /** The rule that every backend can run it by; null if there are kernels at most. */
  readonly rule: "scalar" | "view" | "decompose" | null;
  /** The names of the backends for which there are kernels. */
  readonly kernels: readonly string[];
  /** How its handler works: it expresses the op in others (`conversion`), or computes it; null if it has none. */
  readonly handler: "conversion" | "executor" | null;
}

/** One registration. Sets and handlers are kept as they were given; what was unregistered is hidden. */
interface Item {
  readonly set: OpSet | null;
  /** The name of the op set; null for what was registered alone. */
  readonly package: string | null;
  readonly handler: OpHandler | null;
  readonly replaces: boolean;
  /** The names of its ops and of its handler that are not unregistered. */
  readonly ops: Set<OpName>;
  readonly handled: Set<OpName>;
  /** The names that were unregistered. */
  readonly hidden: Set<OpName>;
}

/**
 * Ops and handlers that are added and removed while a program runs, as with `torch.library` in Python. A load takes what
 * the library has at that time: `load(source, { backend, library })`. Models that are loaded keep what they were loaded
 * with. Nothing is global: a library has an effect only on loads that it is given to.
 */
export class OpLibrary {
  /** The name of the op set to which ops belong that are registered alone. */
  readonly name: string;
  readonly #parent: OpLibrary | null;
  readonly #items: Item[] = [];

  constructor(name = "library", parent: OpLibrary | null = null) {
    this.name = name;
    this.#parent = parent;
  }

  /**
   * Adds an op set, an op or a handler.
   *
   * @throws `registry.duplicate` if this library defines one of the ops already. Those of its parent may be defined again.
   */
  register(item: LibraryItem): Registration {
    return this.#add(item, false);
  }

  /** Adds an op set, an op or a handler, which takes the place of what this library has under its names. */
  replace(item: LibraryItem): Registration {
    return this.#add(item, true);
  }

  /**
   * Expresses ops in other ops: adds a handler with `rewrite` for a name, which may have wildcards (`my::*`). It returns
   * a tensor of `b`, or undefined where it does not apply.
   */
  registerConversion(pattern: string, rewrite: NonNullable<OpHandler["rewrite"]>): Registration {
    return this.register({ ops: [pattern], rewrite });
  }

  /**
   * Computes ops by a function: adds a handler with `compile` for a name, which may have wildcards. It is called once
   * per node at load, and returns the function that is called in each run.
   */
  registerExecutor(pattern: string, compile: NonNullable<OpHandler["compile"]>): Registration {
    return this.register({ ops: [pattern], compile });
  }

  /**
   * Removes an op with its kernels, and the handler of exactly this name. What the parent has stays.
   *
   * @returns whether there was something to remove
   */
  unregister(op: string): boolean {
    const name = nameOf(op);
    const owners = this.#items.filter(({ ops, handled }) => ops.has(name) || handled.has(name));
    for (const { ops, handled, hidden } of owners) {
      ops.delete(name);
      handled.delete(name);
      hidden.add(name);
    }
    return owners.length > 0;
  }

  /** Returns whether this library, or its parent, has an op, or a handler of exactly this name. */
  has(op: string): boolean {
    return this.lookup(op) !== undefined;
  }

  /** Returns what is known about an op or about a handler of exactly this name. */
  lookup(op: string): LibraryEntry | undefined {
    const name = nameOf(op);
    const items = this.#effective();
    const owner = items.findLast(({ ops }) => ops.has(name));
    const set = owner?.set ?? null;
    const handler = items.findLast(({ handled }) => handled.has(name))?.handler ?? null;
    if (set === null && handler === null) return undefined;
    const record = set?.ops.find((one) => one.name === name);
    return {
      op: name,
      schema: record === undefined ? null : printSchema(record.schema),
      package: owner?.package ?? null,
      version: set?.version ?? null,
      rule: record === undefined ? null : ruleOf(record),
      kernels: [...new Set(items.flatMap((item) => backendsOf(item, name)))],
      handler: handler === null ? null : handler.rewrite === undefined ? "executor" : "conversion",
    };
  }

  /**
   * Returns all ops and handlers, sorted by name. A pattern with wildcards selects some: `my::*`. Ops of parts that are
   * loaded on demand are not listed.
   */
  list(pattern?: string): readonly LibraryEntry[] {
    const matches = pattern === undefined ? () => true : matcherOf(pattern);
    const names = new Set(this.#effective().flatMap(({ ops, handled }) => [...ops, ...handled]));
    return [...names]
      .filter(matches)
      .sort()
      .map((name) => this.lookup(name)!);
  }

  /** Makes a library that has everything of this one, now and later, and whose own ops take precedence. */
  child(name: string = this.name): OpLibrary {
    return new OpLibrary(name, this);
  }

  /** The op sets, as `load` takes them; those that take precedence last. */
  get ops(): readonly OpSet[] {
    const before = new Set<OpName>();
    return this.#effective().flatMap((item) => {
      const set = visible(item);
      if (set === null) return [];
      const isLater = [...item.ops].some((name) => before.has(name));
      for (const name of item.ops) before.add(name);
      return [isLater || item.replaces ? { ...set, replace: true } : set];
    });
  }

  /** The handlers, as `load` takes them; those that take precedence last. */
  get handlers(): readonly OpHandler[] {
    const before = new Set<OpName>();
    return this.#effective().flatMap((item) => {
      const names = [...item.handled];
      if (item.handler === null || names.length === 0) return [];
      const isLater = names.some((name) => before.has(name));
      for (const name of names) before.add(name);
      const { rewrite, compile, replace } = item.handler;
      return [
        {
          ops: names,
          ...(rewrite && { rewrite: rewrite.bind(item.handler) }),
          ...(compile && { compile: compile.bind(item.handler) }),
          ...((isLater || replace) && { replace: true }),
        },
      ];
    });
  }

  #add(given: LibraryItem, replaces: boolean): Registration {
    const item = this.#itemOf(given, replaces);
    if (!replaces) this.#requireNew(item);
    this.#items.push(item);
    const dispose = (): void => {
      const at = this.#items.indexOf(item);
      if (at >= 0) this.#items.splice(at, 1);
    };
    return { dispose, [Symbol.dispose]: dispose };
  }

  #itemOf(given: LibraryItem, replaces: boolean): Item {
    requireItem(given);
    const empty = { replaces, hidden: new Set<OpName>(), ops: new Set<OpName>(), handled: new Set<OpName>() };
    if (isHandler(given)) {
      return { ...empty, set: null, package: null, handler: given, handled: new Set(given.ops.map(nameOf)) };
    }
    const set = "schema" in given ? { name: this.name, ops: [given] } : given;
    const ops = new Set(set.ops.map(({ name }) => name));
    return { ...empty, set, package: set === given ? set.name : null, handler: null, ops };
  }

  #requireNew(item: Item): void {
    const what = (one: Item): string =>
      one.set === null ? "a handler" : one.package === null ? "an op" : `op set "${one.package}"`;
    for (const earlier of this.#items) {
      const taken =
        (item.set?.replace === true ? undefined : common(item.ops, earlier.ops)) ??
        (item.handler?.replace === true ? undefined : common(item.handled, earlier.handled));
      if (taken !== undefined)
        throw duplicate(taken, `${what(earlier)} of the library`, `${what(item)} registered now`);
    }
  }

  /** The registrations of the parent and of this library, in the order of precedence. */
  #effective(): readonly Item[] {
    return this.#parent === null ? this.#items : [...this.#parent.#effective(), ...this.#items];
  }
}

/** Refuses what callers in plain JavaScript may take for an item. */
function requireItem(given: unknown): void {
  const { ops, schema } = Object(given) as Readonly<Record<string, unknown>>;
  if (Array.isArray(ops) || schema !== undefined) return;
  throw registryError("registry.rule", {
    what: "What is registered is neither an op set nor an op nor a handler",
    advice: "pass { name, ops: [defineOp(…)] }, defineOp(…), { ops: [names], compile } or { ops: [names], rewrite }",
  });
}

function isHandler(given: LibraryItem): given is OpHandler {
  return "rewrite" in given || "compile" in given;
}

function nameOf(text: string): OpName {
  return isWildcard(text) ? wildcardName(text) : parseOpName(text);
}

function common(names: Iterable<OpName>, others: ReadonlySet<OpName>): OpName | undefined {
  for (const name of names) if (others.has(name)) return name;
  return undefined;
}

function ruleOf({ scalar, view, decompose }: OpRecord): LibraryEntry["rule"] {
  if (scalar !== undefined) return "scalar";
  if (view !== undefined) return "view";
  return decompose === undefined ? null : "decompose";
}

function backendsOf(item: Item, name: OpName): readonly string[] {
  const kernels = visible(item)?.kernels ?? {};
  return Object.entries(kernels).flatMap(([backend, brought]) =>
    brought.some((kernel) => opsOf(kernel).includes(name)) ? backend : [],
  );
}

/** Returns an op set without the ops that were unregistered, and without kernels for nothing else. */
function visible({ set, hidden }: Item): OpSet | null {
  if (set === null || hidden.size === 0) return set;
  const { parts, kernels } = set;
  const isVisible = ({ name }: OpRecord): boolean => !hidden.has(name);
  const isUsed = (kernel: unknown): boolean =>
    opsOf(kernel).length === 0 || opsOf(kernel).some((op) => !hidden.has(op));
  return {
    ...set,
    ops: set.ops.filter(isVisible),
    ...(parts && {
      parts: parts.map(({ ops, load }) => ({ ops, load: async () => (await load()).filter(isVisible) })),
    }),
    ...(kernels && {
      kernels: Object.fromEntries(Object.entries(kernels).map(([name, list]) => [name, list.filter(isUsed)])),
    }),
  };
}
