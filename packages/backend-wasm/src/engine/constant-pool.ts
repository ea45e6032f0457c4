import { ConstantTable, InputUses } from "@pt2/engine";
import { Constant } from "./constant.ts";
import { Context } from "./context.ts";
import type { Block } from "./heap.ts";
import type { PlanContext } from "./kernel.ts";
import type { Buffer } from "./place.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { ConstantSource, Services } from "./services.ts";
import type { StepSink } from "./step-sink.ts";

/** Memory of a constant's computation: it exists only while that runs. */
class Temporary implements Buffer {
  readonly constant = null;
  readonly bytes: number;
  block: Block | null = null;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  address(): number {
    return this.block!.address;
  }
}

/** Steps that were planned for a constant, and the memory they work in. */
class Work implements StepSink {
  readonly steps: (() => void)[] = [];
  readonly temporaries: Temporary[] = [];
  readonly inputs: Set<Constant>;

  constructor(inputs: Iterable<Constant>) {
    this.inputs = new Set(inputs);
  }

  step(run: () => void): void {
    this.steps.push(run);
  }

  scratch(bytes: number): Buffer {
    const buffer = new Temporary(bytes);
    this.temporaries.push(buffer);
    return buffer;
  }

  reads(buffer: Buffer): void {
    if (buffer.constant !== null) this.inputs.add(buffer.constant);
  }

  unreads(): void {}
}

/** Every value that depends on weights alone, each computed once for all plans that ask for it. */
export class ConstantPool implements ConstantSource {
  readonly #services: Services;
  readonly #derived = new ConstantTable<Constant>();
  readonly #readAhead: ReadAhead;
  /** Bytes of temporaries of the largest computation. */
  #temporaryBytes = 0;
  #unfinished: Constant[] = [];

  constructor(services: Services, readAhead: ReadAhead = new ReadAhead()) {
    this.#services = services;
    this.#readAhead = readAhead;
  }

  derive(
    key: string,
    bytes: number,
    inputs: readonly Constant[],
    build: (ctx: Context, to: Buffer) => void,
    rework?: (ctx: PlanContext, at: Buffer) => void,
  ): Constant {
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    const work = new Work(inputs);
    const self: Buffer = { bytes, constant: null, address: () => constant.address() };
    build(new Context(this.#services, work), self);
    const inPlace = rework === undefined ? undefined : new Work([]);
    if (inPlace !== undefined) rework!(new Context(this.#services, inPlace), self);
    const constant = new Constant(this.#services.heap, bytes, {
      inputs: work.inputs,
      produce: () => this.#run(work),
      rework: inPlace && (() => this.#run(inPlace)),
    });
    for (const { temporaries } of inPlace === undefined ? [work] : [work, inPlace]) {
      this.#temporaryBytes = Math.max(this.#temporaryBytes, sizeOf(temporaries));
    }
    this.#derived.set(key, constant);
    return constant;
  }

  /** Starts to read records that will be needed; `settle` goes on with what the plan then asks for. */
  async readAhead(records: readonly Constant[]): Promise<void> {
    if (await this.#reserve(records)) this.#readAhead.start(records);
  }

  /** Reads records that plans are going to need, when nothing is planned yet. */
  async readAll(records: readonly Constant[]): Promise<void> {
    if (await this.#reserve(records)) this.#readAhead.start(records, Number.POSITIVE_INFINITY);
    for (const record of records) await record.load();
  }

  /**
   * Brings what a plan reads into memory, and drops what was only needed on the way as soon as nothing else in this
   * batch needs it: the raw bytes of a weight that is used packed do not stay.
   */
  async settle(wanted: readonly Constant[], onLoaded: (constant: Constant) => void): Promise<void> {
    for (const constant of wanted) constant.pins++;
    try {
      await this.#bring(
        wanted.filter((constant) => !constant.resident || constant.inputs.length === 0),
        onLoaded,
      );
    } catch (error) {
      this.release(wanted);
      throw error;
    } finally {
      await this.#readAhead.stop();
      this.#readAhead.dropUnused();
    }
  }

  /** Does the work that `settle` left for the first run: values that are made where a weight was read to. */
  finish(): void {
    for (const constant of this.#unfinished) constant.finish();
    this.#unfinished = [];
  }

  /** A plan is gone: what no other plan reads leaves memory, and unless it is a weight record it is forgotten. */
  release(constants: readonly Constant[]): void {
    this.#derived.release(constants);
  }

  /** How many values are known besides the weight records. */
  get size(): number {
    return this.#derived.size;
  }

  async #bring(missing: readonly Constant[], onLoaded: (constant: Constant) => void): Promise<void> {
    const uses = new InputUses(missing);
    const takesOver = (constant: Constant): boolean => {
      const [source] = constant.inputs;
      return constant.reworks && source!.pins === 0 && uses.of(source!) === 1;
    };
    const { all } = uses;
    await this.#makeRoom(
      all.filter((constant) => !constant.resident && (uses.of(constant) > 0 || !takesOver(constant))),
      all.filter(({ inputs }) => inputs.length === 0),
    );
    await this.#services.compiled();
    for (const constant of missing) {
      if (takesOver(constant)) {
        const [source] = constant.inputs as [Constant];
        await source.load();
        source.finish();
        constant.takeOver();
        this.#unfinished.push(constant);
      } else await constant.load();
      onLoaded(constant);
      uses.done(constant);
      this.#readAhead.advance();
    }
  }

  /** Makes room for what is not resident. Reads that were begun earlier end before the memory grows. */
  async #reserve(records: readonly Constant[]): Promise<boolean> {
    const bytes = sizeOf(records.filter(({ resident }) => !resident));
    const { heap } = this.#services;
    if (heap.room < bytes) await this.#readAhead.stop();
    return heap.tryReserve(bytes);
  }

  /** Reads ahead when everything that is to come fits without growth in between, else not. */
  async #makeRoom(absent: readonly Constant[], records: Iterable<Constant>): Promise<void> {
    const { heap } = this.#services;
    const bytes = sizeOf(absent) + this.#temporaryBytes;
    if (heap.room < bytes) await this.#readAhead.stop();
    if (heap.tryReserve(bytes)) this.#readAhead.start(records);
    else await this.#readAhead.stop();
  }

  #run({ steps, temporaries }: Work): void {
    const { heap } = this.#services;
    try {
      for (const buffer of temporaries) buffer.block = heap.alloc(buffer.bytes);
      for (const run of steps) run();
    } finally {
      for (const buffer of temporaries) {
        if (buffer.block !== null) heap.free(buffer.block);
        buffer.block = null;
      }
    }
  }
}

/** Room that blocks of these sizes take, with what each is rounded up by. */
function sizeOf(buffers: readonly { readonly bytes: number }[]): number {
  return buffers.reduce((sum, { bytes }) => sum + bytes + 64, 0);
}
