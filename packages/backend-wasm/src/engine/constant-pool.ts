import { Context, type StepSink } from "./context.ts";
import type { Block } from "./heap.ts";
import { type Buffer, Constant } from "./place.ts";
import type { Services } from "./services.ts";

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

/** Every value that depends on weights alone, each computed once for all plans that ask for it. */
export class ConstantPool {
  readonly #services: Services;
  readonly #derived = new Map<string, Constant>();

  constructor(services: Services) {
    this.#services = services;
  }

  /**
   * The constant that `build` computes from `inputs`, which the same `key` always names. `build` plans with the context
   * it is given, once; the planned steps run when the constant is needed.
   */
  derive(key: string, bytes: number, inputs: readonly Constant[], build: (ctx: Context, to: Buffer) => void): Constant {
    const known = this.#derived.get(key);
    if (known !== undefined) return known;
    const steps: (() => void)[] = [];
    const temporaries: Temporary[] = [];
    const reads = new Set(inputs);
    const sink: StepSink = {
      step: (run) => steps.push(run),
      scratch: (size) => {
        const buffer = new Temporary(size);
        temporaries.push(buffer);
        return buffer;
      },
      reads: (buffer) => {
        if (buffer.constant !== null) reads.add(buffer.constant);
      },
    };
    const constant: Constant = new Constant(this.#services.heap, bytes, reads, () => this.#run(steps, temporaries));
    build(new Context(this.#services, sink), constant);
    this.#derived.set(key, constant);
    return constant;
  }

  /**
   * Brings what a plan reads into memory, and drops what was only needed on the way as soon as nothing else in this
   * batch needs it: the raw bytes of a weight that is used packed do not stay.
   */
  async settle(wanted: readonly Constant[], onLoaded: (constant: Constant) => void): Promise<void> {
    for (const constant of wanted) constant.pins++;
    const waiting = new Map<Constant, number>();
    const count = (constant: Constant, by: number): void => {
      for (const input of constant.inputs) {
        waiting.set(input, (waiting.get(input) ?? 0) + by);
        if (by > 0) count(input, by);
      }
    };
    const missing = wanted.filter((constant) => !constant.resident);
    for (const constant of missing) count(constant, 1);
    const release = (constant: Constant): void => {
      for (const input of constant.inputs) {
        const left = waiting.get(input)! - 1;
        waiting.set(input, left);
        release(input);
        if (left === 0 && input.pins === 0) input.unload();
      }
    };
    await this.#services.compiled();
    for (const constant of missing) {
      await constant.load();
      onLoaded(constant);
      release(constant);
    }
  }

  /** A plan is gone: what no other plan reads leaves memory, to come back when it is needed. */
  release(constants: readonly Constant[]): void {
    for (const constant of constants) if (--constant.pins === 0) constant.unload();
  }

  #run(steps: readonly (() => void)[], temporaries: readonly Temporary[]): void {
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
