import { splitOpName } from "@pt2/graph";
import { type OpRecord, printSchema } from "@pt2/registry";
import { eagerError } from "./eager-errors.ts";
import { isKeywords } from "./given.ts";
import { type GivenCall, matchCall } from "./match-call.ts";
import { inParserOrder } from "./overload-order.ts";
import { mutation } from "./refused-ops.ts";

/** The ops whose Python bindings take numbers for tensors. */
const TAKES_NUMBERS = /^(add|sub|subtract|mul|multiply|div|divide|true_divide|floor_divide|copy|_to_copy|_conj)$/;

/** An overload that was chosen, with its arguments by their names in the schema. */
export interface ChosenCall {
  readonly record: OpRecord;
  readonly args: Readonly<Record<string, unknown>>;
}

/** All overloads of an op: `aten.add`. */
export class Packet {
  /** `aten.add`. */
  readonly name: string;
  /** The functional overloads, in the order in which they are tried. */
  readonly overloads: readonly OpRecord[];
  readonly #namespace: string;
  readonly #op: string;

  constructor(records: readonly OpRecord[]) {
    const { namespace, op } = splitOpName(records[0]!.name);
    this.name = `${namespace}.${op}`;
    this.overloads = inParserOrder(records, ({ schema }) => schema);
    this.#namespace = namespace;
    this.#op = op;
  }

  /** Returns the overload of a name, `Tensor` of `aten.add.Tensor`; that without a name is `default`. */
  overload(name: string): OpRecord | undefined {
    return this.overloads.find((record) => overloadName(record) === name);
  }

  /** Chooses the overload that a call means, as PyTorch's argument parser does. */
  choose(given: readonly unknown[], among: readonly OpRecord[] = this.overloads): ChosenCall {
    const call = splitKeywords(given);
    // A few backward ops have an argument `out` that they only read.
    const isRead = among.some(({ schema }) => schema.args.some((arg) => arg.name === "out" && arg.alias === null));
    if (call.keywords.out !== undefined && !isRead) throw mutation(`${this.name} with \`out\``, this.name);
    // An overload that is named takes what the dispatcher takes.
    const numbers = among !== this.overloads || (this.#namespace === "aten" && TAKES_NUMBERS.test(this.#op));
    const problems: string[] = [];
    for (const record of among) {
      const match = matchCall(record.schema, call, numbers);
      if ("args" in match) return { record, args: match.args };
      problems.push(`${printSchema(record.schema)}: ${match.problem}`);
    }
    throw eagerError("eager.arguments", {
      what: `No overload of ${this.name} takes these arguments\n  ${problems.join("\n  ")}`,
      where: this.name,
      advice: "pass arguments by position, then the others by name in one object at the end",
      details: { op: this.name, problems },
    });
  }
}

/** The name of an overload as a member of its packet. */
export function overloadName({ name }: OpRecord): string {
  return splitOpName(name).overload || "default";
}

function splitKeywords(given: readonly unknown[]): GivenCall {
  const last = given.at(-1);
  return isKeywords(last) ? { positional: given.slice(0, -1), keywords: last } : { positional: given, keywords: {} };
}
