import type { Callee } from "./board.ts";
import type { Pool } from "./pool.ts";
import { RestedRuns } from "./rested-runs.ts";
import { type Division, divide, type Part, type Team } from "./team.ts";

type Runs = Pick<RestedRuns, "next" | "took">;

/** What is known of a plan. */
interface Known {
  /** Its runs that came after a rest. */
  readonly rested: Runs;
  /** Whether a run had something to hand out. */
  isShared: boolean;
}

/** The team of one model: the thread that runs its steps, and the helpers of a pool. */
export class SharedTeam implements Team {
  readonly #pool: Pool;
  readonly #memory: WebAssembly.Memory;
  /** The model in the pool, once there is something to divide. */
  #model: number | null = null;
  /** Tells the pool of functions that no step can call any more. */
  readonly #collected = new FinalizationRegistry<number>((index) => {
    if (this.#model !== null) this.#pool.removeFunction(this.#model, index);
  });
  /** Whether calls are noted instead of made. */
  #noting = false;
  /** Whether this thread computes all parts of a run. */
  #alone = false;
  readonly #newRuns: () => Runs;
  readonly #plans = new WeakMap<object, Known>();
  /** The plan that was begun last. */
  #begun: Known | null = null;
  /** When the run began, if it follows a rest. */
  #restedSince: number | null = null;
  /** Whether a step of the run was handed out. */
  #hasShared = false;

  /** Joins a pool for a model, in whose memory all calls work. */
  constructor(pool: Pool, memory: WebAssembly.Memory, newRuns: () => Runs = () => new RestedRuns()) {
    this.#pool = pool;
    this.#newRuns = newRuns;
    this.#memory = memory;
  }

  get threads(): number {
    return this.#pool.threads;
  }

  parts(division: Division): readonly Part[] {
    const parts = divide(division, this.threads, this.#pool.shortest);
    // Helpers start when there is work for them, and a small model has none.
    if (parts.length > 1) this.#pool.start();
    return parts;
  }

  step(parts: readonly Part[], compute: (part: Part) => void): () => void {
    if (parts.length === 1) return () => compute(parts[0]!);
    return () => {
      if (this.#alone || !this.#pool.start() || !this.#note(parts, compute)) {
        parts.forEach(compute);
        return;
      }
      this.#hasShared = true;
      this.#pool.run(this.#joined, parts.length);
    };
  }

  shared<F extends (...args: never[]) => unknown>(code: WebAssembly.Module, name: string, run: F): F {
    const callee = run as unknown as Callee;
    let index = -1;
    const call: Callee = (...args) => {
      if (!this.#noting) return callee(...args);
      if (index < 0) {
        index = this.#pool.addFunction(this.#joined, code, name, callee);
        this.#collected.register(call, index);
      }
      this.#pool.note(index, args);
      return undefined;
    };
    return call as unknown as F;
  }

  begin(plan: object): void {
    const start = performance.now();
    this.#begun = this.#knownOf(plan);
    const { rested, isShared } = this.#begun;
    const hasRested = this.#pool.hasRested(start);
    this.#alone = hasRested && rested.next === "alone";
    this.#restedSince = hasRested ? start : null;
    if (hasRested && !this.#alone) this.#pool.call(isShared);
  }

  run(steps: () => void): void {
    const known = this.#begun!;
    this.#hasShared = false;
    try {
      steps();
      known.isShared ||= this.#hasShared;
      if (this.#restedSince !== null) known.rested.took(performance.now() - this.#restedSince);
    } finally {
      this.#restedSince = null;
      this.#alone = false;
      this.#pool.rest();
    }
  }

  #knownOf(plan: object): Known {
    const known = this.#plans.get(plan);
    if (known !== undefined) return known;
    const added = { rested: this.#newRuns(), isShared: false };
    this.#plans.set(plan, added);
    return added;
  }

  release(): void {
    if (this.#model !== null) this.#pool.removeModel(this.#model);
    this.#model = null;
  }

  get #joined(): number {
    this.#model ??= this.#pool.addModel(this.#memory);
    return this.#model;
  }

  /** Notes the calls of all parts; returns false where the board has no room for them. */
  #note(parts: readonly Part[], compute: (part: Part) => void): boolean {
    this.#noting = true;
    try {
      this.#pool.beginNotes();
      for (const part of parts) {
        this.#pool.beginPart(part.index);
        compute(part);
      }
      return this.#pool.endNotes(parts.length);
    } finally {
      this.#noting = false;
    }
  }
}
