import { ConstantTable, InputUses } from "../constants.ts";
import type { Awaitable } from "../staged/awaitable.ts";
import { Constant, type ConstantMemory, type DeviceBuffer } from "./constant.ts";

/** Memory for constants, and the reads of those that are weights. */
export interface ConstantLoader<Handle> extends ConstantMemory<Handle> {
  /** Told which weight records will be loaded next, in order, and the sizes of all that may be in memory before the end. */
  begin(records: readonly Constant<Handle>[], sizes: readonly number[]): Awaitable<void>;
  /** One more constant is there, or has given its memory back. */
  advance?(): void;
  /** Nothing more will be loaded for now. */
  end(): Awaitable<void>;
}

/** How a constant is computed from others. */
export interface Derivation<Handle> {
  readonly inputs: Iterable<Constant<Handle>>;
  /** Sizes of the memory that the computation takes besides its inputs and its result. */
  readonly temporaries: readonly number[];
  run(): Awaitable<void>;
}

/** Who hears of constants that are brought into memory. */
export interface LoadWatch<Handle> {
  onLoaded?(): void;
  /** A failure as it is to be told. */
  explain?(error: unknown, constant: Constant<Handle>): unknown;
}

/** Every value that depends on weights alone, each computed once for all plans that ask for it. */
export class ConstantPool<Handle> {
  readonly #loader: ConstantLoader<Handle>;
  readonly #derived = new ConstantTable<Constant<Handle>>();
  readonly #work = new WeakMap<Constant<Handle>, Derivation<Handle>>();
  /** Temporaries of the largest computation. */
  #temporaries: readonly number[] = [];
  #unfinished: Constant<Handle>[] = [];

  constructor(loader: ConstantLoader<Handle>) {
    this.#loader = loader;
  }

  /**
   * The constant that `build` plans the computation of; the same `key` always names it. `rework` plans the same where
   * the bytes of the only input are.
   */
  derive(
    key: string,
    bytes: number,
    label: string,
    build: (to: DeviceBuffer<Handle>) => Derivation<Handle>,
    rework?: (at: DeviceBuffer<Handle>) => Derivation<Handle>,
  ): Constant<Handle> {
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    // To the steps that write it, it is no constant yet.
    const self = {
      bytes,
      constant: null,
      get handle(): Handle {
        return constant.handle;
      },
    };
    const work = build(self);
    const inPlace = rework?.(self);
    const constant: Constant<Handle> = new Constant(this.#loader, bytes, label, {
      inputs: work.inputs,
      produce: () => work.run(),
      rework: inPlace && (() => void inPlace.run()),
    });
    for (const { temporaries } of inPlace === undefined ? [work] : [work, inPlace]) {
      if (sum(temporaries) > sum(this.#temporaries)) this.#temporaries = temporaries;
    }
    this.#derived.set(key, constant);
    this.#work.set(constant, work);
    return constant;
  }

  /**
   * Brings what a plan reads into memory, and drops what was only needed on the way as soon as nothing else in this
   * batch needs it: the raw bytes of a weight that is used packed do not stay.
   */
  async load(wanted: readonly Constant<Handle>[], watch: LoadWatch<Handle> = {}): Promise<void> {
    for (const constant of wanted) constant.pins++;
    try {
      // A record may be on its way already.
      await this.#bring(
        wanted.filter((constant) => !constant.resident || constant.isRecord),
        watch,
      );
    } catch (error) {
      this.release(wanted);
      throw error;
    } finally {
      await this.#loader.end();
    }
  }

  /** Does the work that `load` left for the first run: values that are made where a weight was read to. */
  finish(): void {
    for (const constant of this.#unfinished) constant.finish();
    this.#unfinished = [];
  }

  /** A plan is gone: what no other plan reads leaves memory, and unless it is a weight record it is forgotten. */
  release(constants: readonly Constant<Handle>[]): void {
    this.#derived.release(constants);
  }

  /** What computes a constant; nothing does for a weight record. */
  workOf(constant: Constant<Handle>): Derivation<Handle> | undefined {
    return this.#work.get(constant);
  }

  /** How many values are known besides the weight records. */
  get size(): number {
    return this.#derived.size;
  }

  async #bring(missing: readonly Constant<Handle>[], { onLoaded, explain }: LoadWatch<Handle>): Promise<void> {
    const uses = new InputUses(missing);
    const takesOver = (constant: Constant<Handle>): boolean => {
      const [source] = constant.inputs;
      return constant.reworks && source!.pins === 0 && uses.of(source!) === 1;
    };
    const coming = absent(missing);
    const placed = coming.filter((constant) => uses.of(constant) > 0 || !takesOver(constant));
    await this.#loader.begin(
      coming.filter(({ isRecord }) => isRecord),
      [...placed.map(({ bytes }) => bytes), ...this.#temporaries],
    );
    for (const constant of missing) {
      try {
        if (takesOver(constant)) {
          const [source] = constant.inputs as [Constant<Handle>];
          await source.load();
          source.finish();
          constant.takeOver();
          this.#unfinished.push(constant);
        } else await constant.load();
      } catch (error) {
        throw explain?.(error, constant) ?? error;
      }
      onLoaded?.();
      uses.done(constant);
      this.#loader.advance?.();
    }
  }
}

/** What has no memory yet of these and of what they are computed from, each behind its inputs. */
function absent<Handle>(constants: readonly Constant<Handle>[]): readonly Constant<Handle>[] {
  const found = new Set<Constant<Handle>>();
  const visit = (constant: Constant<Handle>): void => {
    if (constant.resident || found.has(constant)) return;
    constant.inputs.forEach(visit);
    found.add(constant);
  };
  constants.forEach(visit);
  return [...found];
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
