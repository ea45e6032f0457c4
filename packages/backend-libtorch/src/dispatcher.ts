import { Pt2Error } from "@pt2/format";
import type { OpName } from "@pt2/graph";
import { type OpSchema, parseSchema } from "@pt2/registry";
import type { Addon } from "./addon.ts";

/** The ops of the c10 dispatcher for one device. Libraries that are loaded later add to it. */
export class Dispatcher {
  readonly device: string;
  readonly #addon: Pick<Addon, "schema" | "hasKernel" | "refusal">;
  readonly #problems = new Map<OpName, string | null>();
  readonly #schemas = new Map<OpName, OpSchema | null>();
  readonly #lacks = new Map<OpName, string>();

  constructor(addon: Pick<Addon, "schema" | "hasKernel" | "refusal">, device: string) {
    this.#addon = addon;
    this.device = device;
  }

  /** Returns whether it runs an op of a program. */
  has(op: OpName): boolean {
    return this.problem(op) === null;
  }

  /** Returns why it does not run an op of a program, or null. */
  problem(op: OpName): string | null {
    const known = this.#problems.get(op);
    if (known !== undefined) return known;
    const problem = this.#problemOf(op);
    this.#problems.set(op, problem);
    return problem;
  }

  /** Returns why programs may not call an op, although the dispatcher may have it, or null. */
  refusal(op: OpName): string | null {
    return this.#addon.refusal(op);
  }

  /** Returns an op's schema; null where there is none, or none that can be parsed. */
  schema(op: OpName): OpSchema | null {
    const known = this.#schemas.get(op);
    if (known !== undefined) return known;
    const text = this.#addon.schema(op);
    const schema = text === null ? null : parsed(text);
    this.#schemas.set(op, schema);
    return schema;
  }

  /** Remembers why it does not have ops that a library could have brought. */
  explainLack(ops: readonly OpName[], why: string): void {
    for (const op of ops) this.#lacks.set(op, why);
    this.refresh();
  }

  /** Forgets which ops it did not have: a library was loaded. */
  refresh(): void {
    this.#problems.clear();
    this.#schemas.clear();
  }

  #problemOf(op: OpName): string | null {
    const refused = this.refusal(op);
    if (refused !== null) return `the libtorch backend refuses it: ${refused}`;
    const why = this.#lacks.get(op);
    const because = why === undefined ? "" : `: ${why}`;
    if (this.#addon.schema(op) === null) return `libtorch does not have it${because}`;
    return this.#addon.hasKernel(op, this.device) ? null : `libtorch has no kernel of it for ${this.device}${because}`;
  }
}

function parsed(text: string): OpSchema | null {
  try {
    return parseSchema(text);
  } catch (error) {
    if (error instanceof Pt2Error) return null;
    throw error;
  }
}
