import { ConstantTable, InputUses } from "@pt2/engine";
import { Constant } from "./constant.ts";
import type { Memory } from "./memory.ts";
import type { Work } from "./step-sink.ts";

/** How a derived value is computed. */
export interface Derivation {
  readonly inputs: readonly Constant[];
  /** What runs on the device or in between on the host, for `explain`. */
  readonly work?: readonly Work[];
  run(): Promise<void>;
}

/** Who hears of constants that are brought to the device. */
export interface SettleWatch {
  onLoaded(): void;
  /** A failure as it is to be told. */
  explain(error: unknown, constant: Constant): unknown;
}

/** Every value that depends on weights alone, each computed once for all plans that ask for it. */
export class ConstantPool {
  readonly #memory: Memory;
  readonly #expect: (records: readonly Constant[]) => void;
  readonly #derived = new ConstantTable<Constant>();

  readonly #work = new WeakMap<Constant, readonly Work[]>();

  /** `expect` is told which weight records will be loaded next, in order. */
  constructor(memory: Memory, expect: (records: readonly Constant[]) => void) {
    this.#memory = memory;
    this.#expect = expect;
  }

  /** The constant that `build` plans the computation of; the same `key` always names it. */
  derive(key: string, bytes: number, label: string, build: (to: Constant) => Derivation): Constant {
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    let work: Derivation | undefined;
    const inputs: Constant[] = [];
    const constant: Constant = new Constant(this.#memory, bytes, label, {
      inputs,
      produce: () => work!.run(),
    });
    work = build(constant);
    inputs.push(...work.inputs);
    this.#work.set(constant, work.work ?? []);
    this.#derived.set(key, constant);
    return constant;
  }

  /** What computes a constant, for `explain`; nothing for a weight record. */
  workOf(constant: Constant): readonly Work[] {
    return this.#work.get(constant) ?? [];
  }

  /**
   * Brings what a plan reads to the device, and drops what was only needed on the way as soon as nothing else in this
   * batch needs it: the raw bytes of a weight that is used packed do not stay.
   */
  async settle(wanted: readonly Constant[], watch: SettleWatch): Promise<void> {
    for (const constant of wanted) constant.pins++;
    const missing = wanted.filter(({ resident }) => !resident);
    try {
      this.#expect(recordsOf(missing));
      await bring(missing, watch);
    } catch (error) {
      this.release(wanted);
      throw error;
    } finally {
      this.#expect([]);
    }
  }

  /** A plan is gone: what no other plan reads leaves the device, and unless it is a weight record it is forgotten. */
  release(constants: readonly Constant[]): void {
    this.#derived.release(constants);
  }
}

/** What has to be read from the file for these, in the order in which it is needed. */
function recordsOf(constants: readonly Constant[]): readonly Constant[] {
  const seen = new Set<Constant>();
  const visit = (constant: Constant): void => {
    if (seen.has(constant) || constant.resident) return;
    constant.inputs.forEach(visit);
    seen.add(constant);
  };
  constants.forEach(visit);
  return [...seen].filter(({ inputs }) => inputs.length === 0);
}

async function bring(missing: readonly Constant[], { onLoaded, explain }: SettleWatch): Promise<void> {
  const uses = new InputUses(missing);
  for (const constant of missing) {
    await constant.load().catch((error: unknown) => {
      throw explain(error, constant);
    });
    onLoaded();
    uses.done(constant);
  }
}
