import { type OpName, parseOpName } from "@pt2/graph";
import { functionalName, inPlaceRecord } from "./in-place.ts";
import type { NotLoaded } from "./not-loaded.ts";
import type { OpRecord } from "./op.ts";
import type { OpSet } from "./op-set.ts";
import { outRecord, twinsOfOut } from "./out-variant.ts";
import { Parts } from "./parts.ts";
import { registryError } from "./registry-errors.ts";

/** A set that has claimed an op. */
interface Owner {
  readonly set: OpSet;
  /** Its place among the sets: later ones come first. */
  readonly rank: number;
}

/** The records of several op sets, less those that are still to be loaded. */
export class OpRecords {
  readonly #records = new Map<OpName, OpRecord>();
  readonly #owners = new Map<OpName, Owner>();
  /** In-place ops whose names do not tell their twins. */
  readonly #irregular = new Map<OpName, OpRecord>();
  /** Ops that write, in place or to `out`, and were asked for. */
  readonly #derived = new Map<OpName, OpRecord>();
  readonly #parts: readonly Parts<OpRecord>[];

  constructor(sets: readonly OpSet[]) {
    this.#parts = sets.map((set, rank) => new Parts(set.parts ?? [], (records) => this.#add(records, { set, rank })));
    sets.forEach((set, rank) => void this.#add(set.ops, { set, rank }));
  }

  /** Every op that is loaded. */
  get names(): Iterable<OpName> {
    return this.#records.keys();
  }

  /** The name of the set that has an op. */
  sourceOf(op: OpName): string | undefined {
    return this.#owners.get(op)?.set.name;
  }

  /** Throws `NotLoaded` for an op that a part may have. */
  resolve(text: string): OpRecord | undefined {
    const known = this.#records.get(text);
    if (known !== undefined) return known;
    const op = parseOpName(text);
    const record = this.#find(op);
    if (record !== undefined) return record;
    const missing = this.#missing(op);
    if (missing !== undefined) throw missing;
    return undefined;
  }

  /** Loads what parts have for these ops, and finds ops that are defined twice. */
  async load(ops: Iterable<string>): Promise<void> {
    const open = [...ops].map(parseOpName).filter((op) => this.#find(op) === undefined);
    const missing = [
      ...open.flatMap((op) => this.#missing(op) ?? []),
      ...[...this.#owners].flatMap(([op, owner]) => this.#contested(op, owner) ?? []),
    ];
    if (missing.length === 0) return;
    await Promise.all(missing.map((part) => part.load()));
    await this.load(open);
  }

  #missing(op: OpName): NotLoaded | undefined {
    for (const parts of this.#parts) {
      const missing = parts.missing(op);
      if (missing !== null) return missing;
    }
    return undefined;
  }

  /** What another set may have for an op that may not be defined twice. */
  #contested(op: OpName, { set, rank }: Owner): NotLoaded | undefined {
    if (set.replace === true) return undefined;
    return this.#parts.flatMap((parts, other) => (other === rank ? [] : (parts.missing(op) ?? [])))[0];
  }

  #find(op: OpName): OpRecord | undefined {
    const record = this.#records.get(op) ?? this.#derived.get(op);
    if (record !== undefined) return record;
    const derived = this.#derive(op);
    if (derived !== undefined) this.#derived.set(op, derived);
    return derived;
  }

  #derive(op: OpName): OpRecord | undefined {
    const inPlace = this.#irregular.get(op) ?? this.#records.get(functionalName(op) ?? "");
    if (inPlace !== undefined) return inPlaceRecord(op, inPlace);
    for (const name of twinsOfOut(op)) {
      const twin = this.#records.get(name);
      const record = twin && outRecord(op, twin);
      if (record !== undefined) return record;
    }
    return undefined;
  }

  #add(records: readonly OpRecord[], owner: Owner): void {
    for (const record of records) {
      const other = this.#owners.get(record.name);
      if (other !== undefined) {
        const [first, second] = other.rank < owner.rank ? [other.set, owner.set] : [owner.set, other.set];
        if (second.replace !== true || other.rank === owner.rank) {
          throw duplicate(record.name, `op set "${first.name}"`, `op set "${second.name}"`);
        }
        if (owner.rank < other.rank) continue;
      }
      this.#records.set(record.name, record);
      this.#owners.set(record.name, owner);
      for (const op of record.inPlace ?? []) this.#irregular.set(op, record);
    }
  }
}

/** Two claims on one op. */
export function duplicate(op: OpName, first: string, second: string): Error {
  return registryError("registry.duplicate", {
    what: `${op} is given twice: by ${first} and by ${second}`,
    advice: "remove one of them, or let the later one say `replace: true`",
    details: { op },
  });
}
