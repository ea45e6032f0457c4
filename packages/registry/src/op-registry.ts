import type { OpName } from "@pt2/graph";
import type { OpEffects } from "@pt2/graph/passes";
import { effectsOf } from "./effects.ts";
import type { OpHandler } from "./handler.ts";
import type { OpRecord } from "./op.ts";
import { OpRecords } from "./op-records.ts";
import type { OpSet } from "./op-set.ts";
import type * as ResultChecks from "./user-ops/results.ts";

export { resolveArgs } from "./resolve-args.ts";

/** The arguments of `createRegistry`. */
export interface RegistryParts {
  readonly sets: readonly OpSet[];
  readonly handlers?: readonly OpHandler[];
}

/** One op that a registry knows. */
export interface RegistryEntry {
  readonly op: OpName;
  /** The name of the op set that it comes from; `handler` if only a handler has it. */
  readonly source: string;
  /** Whether a handler runs it. */
  readonly handled: boolean;
}

/** The ops that can be resolved, with their handlers. Its answers never change. */
export interface OpRegistry {
  /**
   * Returns the record of exactly this overload. In-place and out variants are derived from their functional variants.
   * A name may have any spelling that `parseOpName` of `@pt2/graph` reads. Returns undefined for an op that no set has,
   * and for one that {@link load} was not called for; the ops that a program names are loaded before a backend sees it.
   */
  resolve(op: string): OpRecord | undefined;
  /**
   * Loads the parts of sets that have these ops, in parallel; `"all"` loads everything, for functions of users that
   * call ops by name. Rejects with `registry.duplicate` like `createRegistry`.
   */
  load(ops: Iterable<string> | "all"): Promise<void>;
  /** Returns whether `resolve` knows if a set has the op; otherwise {@link load} must be called for it first. */
  isLoaded(op: string): boolean;
  /**
   * Returns the handler of this op. One that names the overload takes precedence over one that handles every overload,
   * `ns::op.*`, and that over wildcards, `ns::*`: of these the one with the most letters, and of equals the later one.
   */
  handlerOf(op: string): OpHandler | undefined;
  /** The ops that handlers name, without those that only a wildcard matches. */
  readonly handledOps: readonly OpName[];
  /** The names of handlers that stand for several ops, such as `ns::op.*` and `ns::*`; absent if there are none. */
  readonly patterns?: readonly string[];
  /**
   * The same registry without handlers that only a wildcard matches, for ops that functions of handlers call; absent if
   * there are no wildcards.
   */
  readonly withoutWildcards?: OpRegistry;
  /**
   * Returns whether a handler runs the op, or a set with `replace` redefines it. Passes must then not rely on facts
   * about PyTorch's op of that name, nor run it by a backend's own kernel.
   */
  isClaimed(op: string): boolean;
  /** Returns whether a set with `replace` redefines the op. */
  isReplaced(op: string): boolean;
  /** Returns the name of the user's set that has the op; undefined for ops of this project, and for unknown ones. */
  userSetOf(op: string): string | undefined;
  /** Returns the loaded ops of users' sets, each with its set. */
  userOps(): Iterable<readonly [op: OpName, set: OpSet]>;
  /** Returns what the op writes to and aliases; undefined if that is unknown. */
  effectsOf(op: string): OpEffects | undefined;
  /** Returns the kernels that op sets provide for a backend, those of later sets first. */
  kernelsFor(backend: string): readonly unknown[];
  /** Returns whether an op set provides a kernel of the op for a backend. */
  hasKernel(op: string, backend: string): boolean;
  /** Returns what a user's set lacks to run an op on a backend, in a few words; null for an op of this project. */
  lackOf(op: string, backend: string): string | null;
  /** The functions that check results of users' functions; null if there are no such functions. */
  readonly checks: typeof ResultChecks | null;
  /** Returns every loaded op, sorted by name, without in-place variants. */
  list(): readonly RegistryEntry[];
}

/** Makes a registry of this project's own sets: they have no functions of users, and no op is defined twice. */
export function builtInRegistry(sets: readonly OpSet[]): OpRegistry {
  return registryOf(new OpRecords(sets));
}

/** Makes the members of a registry that follow from records alone. */
export function registryOf(records: OpRecords): OpRegistry {
  const resolve = (op: string): OpRecord | undefined => records.resolve(op);
  const effects = new WeakMap<OpRecord, OpEffects>();
  return {
    resolve,
    load: (ops) => (ops === "all" ? records.loadAll() : records.load(ops)),
    isLoaded: (op) => records.isLoaded(op),
    handlerOf: () => undefined,
    handledOps: [],
    isClaimed: () => false,
    isReplaced: () => false,
    userSetOf: () => undefined,
    userOps: () => [],
    effectsOf(op) {
      const record = resolve(op);
      if (record === undefined) return undefined;
      const known = effects.get(record) ?? effectsOf(record);
      effects.set(record, known);
      return known;
    },
    kernelsFor: () => [],
    hasKernel: () => false,
    lackOf: () => null,
    checks: null,
    list: () => [...records.names].sort().map((op) => ({ op, source: records.sourceOf(op) ?? "", handled: false })),
  };
}
