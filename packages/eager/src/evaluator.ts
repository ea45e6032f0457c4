import type { Backend, Executable, Tensor, Value } from "@pt2/backend";
import type { OpRegistry } from "@pt2/registry";
import type { Cell, RecordedCall } from "./cell.ts";
import { eagerError } from "./eager-errors.ts";
import { type Expression, expressionOf } from "./expression.ts";
import { ProgramCache } from "./program-cache.ts";
import { type EagerProgram, programOf, programOfCall } from "./program-of.ts";

/** How programs are compiled. */
export interface EvaluatorOptions {
  readonly precision: "exact" | "fast";
  /** The most compiled programs that are kept. */
  readonly programs: number;
}

/** Runs recorded calls on a backend: those that a value needs are one program. */
export class Evaluator {
  readonly backend: Backend;
  readonly #registry: OpRegistry;
  readonly #options: EvaluatorOptions;
  readonly #cache: ProgramCache;
  #disposed = false;

  constructor(backend: Backend, registry: OpRegistry, options: EvaluatorOptions) {
    this.backend = backend;
    this.#registry = registry;
    this.#options = options;
    this.#cache = new ProgramCache(options.programs);
  }

  /** Starts a program that computes these cells. */
  start(cells: readonly Cell[]): void {
    const expression = expressionOf(cells);
    // What a program computed once without keeping it is kept when another one computes it.
    const again = expression.calls.filter(({ timesInside }) => timesInside > 0).flatMap((call) => call.cells);
    const targets = [...new Set([...cells, ...again.filter(({ call }) => call !== null)])];
    for (const call of expression.calls) call.timesInside++;
    const values = this.#run(expression, programOf(expression, targets));
    for (const [i, cell] of targets.entries()) cell.start(values.then((made) => made[i] as Tensor));
  }

  /** Runs one call, with those that it needs, and returns all its results: tensors and numbers, lists flattened. */
  async results(call: RecordedCall): Promise<readonly Value[]> {
    const expression = expressionOf([...call.inputs]);
    return await this.#run(expression, programOfCall(expression, call));
  }

  dispose(): void {
    this.#disposed = true;
    this.#cache.close();
  }

  requireAlive(): void {
    if (!this.#disposed) return;
    throw eagerError("eager.disposed", {
      what: "An op was called after the ops had been disposed",
      advice: "dispose them after the last call",
    });
  }

  async #run({ leaves }: Expression, { program, key, numbers }: EagerProgram): Promise<readonly Value[]> {
    for (const leaf of leaves) leaf.retain();
    const compile = (): Promise<Executable> =>
      this.backend.compile({
        program,
        weights: new Map(),
        registry: this.#registry,
        precision: this.#options.precision,
      });
    try {
      const inputs = async (): Promise<readonly Value[]> => [
        ...(await Promise.all(leaves.map(({ tensor }) => tensor!))),
        ...numbers,
      ];
      return await this.#cache.run(key, compile, inputs);
    } finally {
      for (const leaf of leaves) leaf.release();
    }
  }
}
