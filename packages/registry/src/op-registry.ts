import type { OpName } from "@pt2/graph";
import { effectsOf, type OpEffects } from "./effects.ts";
import type { OpHandler } from "./handler.ts";
import type { NotLoaded } from "./not-loaded.ts";
import type { OpRecord } from "./op.ts";
import { OpRecords } from "./op-records.ts";
import type { OpSet } from "./op-set.ts";
import type * as ResultChecks from "./own-ops/results.ts";

export { resolveArgs } from "./resolve-args.ts";

/** What a registry is made of. Nothing else can be in it. */
export interface RegistryParts {
  readonly sets: readonly OpSet[];
  readonly handlers?: readonly OpHandler[];
}

/** One op that a registry knows. */
export interface RegistryEntry {
  readonly op: OpName;
  /** Name of the op set it comes from; `handler` when only a handler takes it. */
  readonly source: string;
  /** Whether a handler takes it. */
  readonly handled: boolean;
}

/** What ops mean, and who was asked to run them. What it answers never changes. */
export interface OpRegistry {
  /**
   * The record of exactly this overload. Ops in place or with `out` are derived from their functional variants. Names are
   * taken in every spelling that `parseOpName` of `@pt2/graph` reads. Undefined for an op that no set has, and for one that
   * {@link load} was not called for; the ops that a program names are loaded before a backend sees it.
   */
  resolve(op: string): OpRecord | undefined;
  /**
   * Loads what sets have in parts for these ops, all at once; everything where functions of users may call ops by name.
   * Rejects with `registry.duplicate` as `createRegistry`.
   */
  load(ops: Iterable<string> | "all"): Promise<void>;
  /** What is to be loaded before `resolve` can tell whether a set has the op; null where it can. */
  missing(op: string): NotLoaded | null;
  /** The handler that takes this op: one that names it before one that takes every overload, `ns::op.*`. */
  handlerOf(op: string): OpHandler | undefined;
  /**
   * Whether a handler takes the op, or a set with `replace` gave it another meaning. Passes may then not count on what is
   * known of an op of that name, nor run it by a kernel of a backend's own.
   */
  isClaimed(op: string): boolean;
  /** Whether a set with `replace` gave the op another meaning. */
  isReplaced(op: string): boolean;
  /** Name of the user's set that has the op; undefined for ops that come with this project, and for unknown ones. */
  userSetOf(op: string): string | undefined;
  /** What the op writes to and aliases; undefined when it is not known. */
  effectsOf(op: string): OpEffects | undefined;
  /** Kernels that op sets bring for a backend, those of later sets first. */
  kernelsFor(backend: string): readonly unknown[];
  /** Whether an op set brings a kernel of the op for a backend. */
  hasKernel(op: string, backend: string): boolean;
  /** What a user's set lacks to run an op on a backend, in a few words; null for an op that comes with this project. */
  lackOf(op: string, backend: string): string | null;
  /** What looks at results of functions that users brought; null where there are none. */
  readonly checks: typeof ResultChecks | null;
  /** Every op that is loaded, sorted by name; in-place variants are not listed. */
  list(): readonly RegistryEntry[];
}

/** A registry of this project's own sets: none of them brings functions for ops, and no op is claimed twice. */
export function builtInRegistry(sets: readonly OpSet[]): OpRegistry {
  return registryOf(new OpRecords(sets));
}

/** What records alone tell. */
export function registryOf(records: OpRecords): OpRegistry {
  const resolve = (op: string): OpRecord | undefined => records.resolve(op);
  const effects = new WeakMap<OpRecord, OpEffects>();
  return {
    resolve,
    load: (ops) => (ops === "all" ? records.loadAll() : records.load(ops)),
    missing: (op) => records.missing(op),
    handlerOf: () => undefined,
    isClaimed: () => false,
    isReplaced: () => false,
    userSetOf: () => undefined,
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
