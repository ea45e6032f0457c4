import { ConstantTable, InputUses } from "../constants.ts";
import { type Awaitable, whenReady } from "../staged/awaitable.ts";
import { Constant, type ConstantMemory, type DeviceBuffer } from "./constant.ts";

/** Has memory for constants, and reads those that are weights. */
export interface ConstantLoader<Handle> extends ConstantMemory<Handle> {
  /**
   * Announces the weight records that will be loaded next, in order, and the sizes of all that may be in memory before
   * {@link end}.
   */
  begin(records: readonly Constant<Handle>[], sizes: readonly number[]): Awaitable<void>;
  /** Counts one more constant that is in memory, or has freed its memory. */
  advance?(): void;
  /** Ends what {@link begin} announced: nothing more will be loaded for now. */
  end(): Awaitable<void>;
}

/** How a constant is computed from others. */
export interface Derivation<Handle> {
  readonly inputs: Iterable<Constant<Handle>>;
  /** Sizes of the buffers that the computation takes besides its inputs and its result. */
  readonly temporaries: readonly number[];
  run(): Awaitable<void>;
}

/** Observes how constants are brought into memory. */
export interface LoadWatch<Handle> {
  onLoaded?(): void;
  /** Turns a failure into the error that the user sees. */
  explain?(error: unknown, constant: Constant<Handle>): unknown;
}

/** Keeps every value that depends on weights alone; each is computed once for all plans that need it. */
export class ConstantPool<Handle> {
  readonly #loader: ConstantLoader<Handle>;
  readonly #derived = new ConstantTable<Constant<Handle>>();
  readonly #work = new WeakMap<Constant<Handle>, Derivation<Handle>>();
  /** The temporaries of the largest computation. */
  #temporaries: readonly number[] = [];
  #unfinished: Constant<Handle>[] = [];

  constructor(loader: ConstantLoader<Handle>) {
    this.#loader = loader;
  }

  /**
   * Returns the constant whose computation `build` plans; equal keys give the same constant. `rework` plans the same
   * computation in place, in the bytes of the only input.
   */
  derive(
    key: string,
    bytes: number,
    label: string,
    build: (to: DeviceBuffer<Handle>) => Derivation<Handle>,
    rework?: (at: DeviceBuffer<Handle>) => Derivation<Handle>,
  ): Constant<Handle>;
  derive(
    key: string,
    bytes: number,
    label: string,
    build: (to: DeviceBuffer<Handle>) => Awaitable<Derivation<Handle>>,
    rework?: (at: DeviceBuffer<Handle>) => Derivation<Handle>,
  ): Awaitable<Constant<Handle>>;
  derive(
    key: string,
    bytes: number,
    label: string,
    build: (to: DeviceBuffer<Handle>) => Awaitable<Derivation<Handle>>,
    rework?: (at: DeviceBuffer<Handle>) => Derivation<Handle>,
  ): Awaitable<Constant<Handle>> {
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    let constant: Constant<Handle>;
    // The steps that write the value must not treat it as a constant yet.
    const self = {
      bytes,
      constant: null,
      get handle(): Handle {
        return constant.handle;
      },
    };
    return whenReady(build(self), (work) => {
      const inPlace = rework?.(self);
      constant = new Constant(this.#loader, bytes, label, {
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
    });
  }

  /**
   * Brings what a plan reads into memory. What was only needed on the way is dropped as soon as nothing else in this
   * batch needs it, so the raw bytes of a weight that is used packed do not stay.
   */
  async load(wanted: readonly Constant<Handle>[], watch: LoadWatch<Handle> = {}): Promise<void> {
    for (const constant of wanted) constant.pins++;
    try {
      // A read of the record may be under way already.
      await this.#bring(
        wanted.filter((constant) => !constant.resident || (constant.isRecord && !constant.loaded)),
        watch,
      );
    } catch (error) {
      this.release(wanted);
      throw error;
    } finally {
      await this.#loader.end();
    }
  }

  /**
   * Does the work that `load` left for the first run: computing values in the memory that their weight was read into.
   */
  finish(): void {
    for (const constant of this.#unfinished) constant.finish();
    this.#unfinished = [];
  }

  /**
   * Unpins what a released plan read. What no other plan reads leaves memory and is forgotten, except for weight
   * records.
   */
  release(constants: readonly Constant<Handle>[]): void {
    this.#derived.release(constants);
  }

  /** Returns the computation of a constant; a weight record has none. */
  workOf(constant: Constant<Handle>): Derivation<Handle> | undefined {
    return this.#work.get(constant);
  }

  /** The number of values besides the weight records. */
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
    const placed = [...coming].filter(([constant, isWanted]) => !isWanted || !takesOver(constant));
    await this.#loader.begin(
      [...coming.keys()].filter(({ isRecord }) => isRecord),
      [...placed.map(([{ bytes }]) => bytes), ...this.#temporaries],
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

/**
 * Finds which of these constants, and of what they are computed from, have no memory yet, each after its inputs; and whether it is
 * brought as one of these constants, or before that, as what another one is computed from.
 */
function absent<Handle>(constants: readonly Constant<Handle>[]): ReadonlyMap<Constant<Handle>, boolean> {
  const found = new Map<Constant<Handle>, boolean>();
  const visit = (constant: Constant<Handle>, isWanted: boolean): void => {
    if (constant.resident || found.has(constant)) return;
    for (const input of constant.inputs) visit(input, false);
    found.set(constant, isWanted);
  };
  for (const constant of constants) visit(constant, true);
  return found;
}

function sum(sizes: readonly number[]): number {
  return sizes.reduce((total, size) => total + size, 0);
}
