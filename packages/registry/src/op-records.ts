import { type OpName, parseOpName } from "@pt2/graph";
import { functionalName, inPlaceRecord } from "./in-place.ts";
import type { OpRecord } from "./op.ts";
import type { OpSet } from "./op-set.ts";
import { functionalNamesOfOut, outRecord } from "./out-variant.ts";
import { PartLoader } from "./part-loader.ts";
import { registryError } from "./registry-errors.ts";

/** An op set that defines an op. */
interface Owner {
  readonly set: OpSet;
  /** The position among the sets: later sets take precedence. */
  readonly rank: number;
}

/** The functions that check and derive records of users. */
export interface UserRecords {
  checkedRecord(record: OpRecord): OpRecord;
  viewOfScatter(op: OpName): OpName | null;
  scatterRecord(op: OpName, view: OpRecord): OpRecord | undefined;
}

/** The records of several op sets that are loaded so far. */
export class OpRecords {
  readonly #records = new Map<OpName, OpRecord>();
  /** The records of users that {@link UserRecords.checkedRecord} has wrapped so far. */
  readonly #checked = new Map<OpName, OpRecord>();
  /** The ops that a part of another set may define too. */
  #contestable: OpName[] = [];
  readonly #owners = new Map<OpName, Owner>();
  /** The ops that a later set has taken from an earlier one. */
  readonly #replaced = new Set<OpName>();
  /** The in-place ops whose functional variants have irregular names. */
  readonly #irregular = new Map<OpName, OpRecord>();
  /** The in-place and out variants that were derived so far. */
  readonly #derived = new Map<OpName, OpRecord>();
  readonly #parts: readonly PartLoader<OpRecord>[];
  readonly #users: UserRecords | null;
  readonly #sets: readonly OpSet[];

  /** `users` is null if no set belongs to a user. */
  constructor(sets: readonly OpSet[], users: UserRecords | null = null) {
    this.#users = users;
    this.#sets = sets;
    this.#parts = sets.map(
      (set, rank) => new PartLoader(set.parts ?? [], (records) => this.#add(records, { set, rank })),
    );
    sets.forEach((set, rank) => void this.#add(set.ops, { set, rank }));
  }

  /** The names of all loaded ops. */
  get names(): Iterable<OpName> {
    return this.#records.keys();
  }

  /** Returns the user's set whose record defines an op; undefined for ops of this project. */
  userSetOf(op: OpName): OpSet | undefined {
    const derived = this.#find(op)?.functional ?? this.#users?.viewOfScatter(op) ?? op;
    const set = (this.#owners.get(op) ?? this.#owners.get(derived))?.set;
    return set?.builtIn === true ? undefined : set;
  }

  /** Returns the loaded ops of users' sets, each with its set. */
  *userOps(): Iterable<readonly [op: OpName, set: OpSet]> {
    for (const [op, { set }] of this.#owners) if (set.builtIn !== true) yield [op, set];
  }

  /** Returns the name of the set that has an op. */
  sourceOf(op: OpName): string | undefined {
    return this.#owners.get(op)?.set.name;
  }

  /**
   * Returns whether a set with `replace` redefines an op: facts about PyTorch's op of that name then do not hold. The
   * op's in-place and out variants are redefined too.
   */
  isReplaced(op: OpName): boolean {
    const name = this.#find(op)?.functional ?? op;
    if (this.#replaced.has(name)) return true;
    const owner = this.#owners.get(name);
    if (owner?.set.replace !== true) return false;
    return this.#parts.some((parts, rank) => rank < owner.rank && parts.mayHave(name));
  }

  /** Returns whether an in-place op has no rules of its own, but a functional variant. */
  hasFunctionalVariant({ name, scalar, infer, decompose }: OpRecord): boolean {
    if ((scalar ?? infer ?? decompose) !== undefined) return false;
    const variant = functionalName(name);
    return variant !== null && this.mayHave(variant);
  }

  /** Returns whether a set has, or a part may have, an op. */
  mayHave(op: OpName): boolean {
    return this.#find(op) !== undefined || this.#parts.some((parts) => parts.mayHave(op));
  }

  /** Returns the record of an op; undefined if no set has it, or if it is in a part that is not loaded. */
  resolve(text: string): OpRecord | undefined {
    const known = this.#defined(text);
    if (known !== undefined) return known;
    return this.#find(parseOpName(text));
  }

  /** Returns whether it is known if a set has an op: no part that may have it is left to load. */
  isLoaded(text: string): boolean {
    const op = parseOpName(text);
    return this.#find(op) !== undefined || this.#missing(op) === undefined;
  }

  /** Loads every part of every set, and the code that rules load on demand. */
  async loadAll(): Promise<void> {
    await Promise.all([...this.#parts.map((parts) => parts.loadAll()), ...this.#sets.map((set) => set.loadRules?.())]);
  }

  /** Loads the parts that have these ops, and checks that no op is defined twice. */
  async load(ops: Iterable<string>): Promise<void> {
    const open = [...ops].map(parseOpName).filter((op) => this.#find(op) === undefined);
    const missing = [...open.flatMap((op) => this.#missing(op) ?? []), ...this.#contests()];
    if (missing.length === 0) return;
    await Promise.all(missing.map((load) => load()));
    await this.load(open);
  }

  /** Returns the function that loads the next part that may have an op. */
  #missing(op: OpName): (() => Promise<void>) | undefined {
    for (const parts of this.#parts) {
      const missing = parts.missing(op);
      if (missing !== null) return missing;
    }
    return undefined;
  }

  /** Returns the functions that load what is needed to check that no other set defines an op too. */
  #contests(): readonly (() => Promise<void>)[] {
    const loads: (() => Promise<void>)[] = [];
    this.#contestable = this.#contestable.filter((op) => {
      const load = this.#contested(op, this.#owners.get(op)!);
      if (load !== undefined) loads.push(load);
      return load !== undefined;
    });
    return loads;
  }

  #contested(op: OpName, { set, rank }: Owner): (() => Promise<void>) | undefined {
    if (set.replace === true) return undefined;
    for (const [other, parts] of this.#parts.entries()) {
      const missing = other === rank ? null : parts.missing(op);
      if (missing !== null) return missing;
    }
    return undefined;
  }

  /** Returns the record that a set defines. Records of users are wrapped when they are needed: sets may be large. */
  #defined(op: OpName): OpRecord | undefined {
    const record = this.#records.get(op);
    if (record === undefined || this.#users === null || this.#owners.get(op)?.set.builtIn === true) return record;
    const checked = this.#checked.get(op) ?? this.#users.checkedRecord(record);
    this.#checked.set(op, checked);
    return checked;
  }

  #find(op: OpName): OpRecord | undefined {
    const record = this.#defined(op) ?? this.#derived.get(op);
    if (record !== undefined) return record;
    const derived = this.#derive(op);
    if (derived !== undefined) this.#derived.set(op, derived);
    return derived;
  }

  #derive(op: OpName): OpRecord | undefined {
    const inPlace = this.#irregular.get(op) ?? this.#defined(functionalName(op) ?? "");
    if (inPlace !== undefined) return inPlaceRecord(op, inPlace);
    const view = this.#defined(this.#users?.viewOfScatter(op) ?? "");
    // PyTorch's own views have explicit records for writes through them.
    if (view?.view !== undefined && this.#owners.get(view.name)?.set.builtIn !== true) {
      return this.#users?.scatterRecord(op, view);
    }
    for (const name of functionalNamesOfOut(op)) {
      const variant = this.#defined(name);
      const record = variant && outRecord(op, variant);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  /** Adds all records or, if one of the ops is already defined, none. */
  #add(records: readonly OpRecord[], owner: Owner): void {
    this.#requireUnclaimed(records, owner);
    for (const record of records) {
      const other = this.#owners.get(record.name);
      if (other !== undefined) {
        this.#replaced.add(record.name);
        if (owner.rank < other.rank) continue;
        this.#checked.delete(record.name);
      }
      this.#records.set(record.name, record);
      this.#owners.set(record.name, owner);
      this.#contestable.push(record.name);
      for (const op of record.inPlace ?? []) this.#irregular.set(op, record);
    }
  }

  #requireUnclaimed(records: readonly OpRecord[], owner: Owner): void {
    const seen = new Set<OpName>();
    for (const { name } of records) {
      const other = seen.has(name) ? owner : this.#owners.get(name);
      seen.add(name);
      if (other === undefined) continue;
      const [first, second] = other.rank < owner.rank ? [other, owner] : [owner, other];
      if (second.set.replace === true && first.rank !== second.rank) continue;
      throw duplicate(name, `op set "${first.set.name}"`, `op set "${second.set.name}"`);
    }
  }
}

/** Makes the error for an op that is defined twice. */
export function duplicate(op: OpName, first: string, second: string): Error {
  return registryError("registry.duplicate", {
    what: `${op} is defined twice: by ${first} and by ${second}`,
    advice: "remove one of them, or set `replace: true` on the later one",
    details: { op },
  });
}
