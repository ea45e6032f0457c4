import { stringLiteral } from "../declare/quote.ts";
import type { Identifiers } from "./identifiers.ts";
import type { Fn } from "./module-file.ts";
import { joined, type Statement, statementLines } from "./statement.ts";

/** A call of the function of a module. */
export interface BodyCall {
  readonly fn: Fn;
  /** The namespaces of ops that every function takes first. */
  readonly ops: readonly string[];
  /** The path of the module from the caller. */
  readonly path: string;
  /** The values that it takes, and those that it returns. */
  readonly inputs: readonly string[];
  readonly results: readonly string[];
  /** What results are named after. */
  readonly like: string;
  /** Whether nothing but this call reads a value. */
  readonly isOnlyReader: (value: string) => boolean;
}

/** The body of a function while it is written: its statements, and what stands for values in them. */
export class FunctionBody {
  /** Whether a statement waits. */
  isAsync = false;
  /** Whether a statement reads weights. */
  usesWeights = false;
  readonly #identifiers: Identifiers;
  readonly #weightOf: (value: string) => string;
  readonly #texts = new Map<string, string>();
  readonly #statements: Statement[] = [];
  /** The first result of the last call. */
  #last = "";

  /** `weightOf` returns the name below the module of a value that is a weight: all values that are not bound are. */
  constructor(identifiers: Identifiers, weightOf: (value: string) => string) {
    this.#identifiers = identifiers;
    this.#weightOf = weightOf;
  }

  /** Returns what stands for a value. */
  readonly textOf = (value: string): string => {
    const text = this.#texts.get(value);
    if (text !== undefined) return text;
    this.usesWeights = true;
    return `weights(${stringLiteral(this.#weightOf(value))})`;
  };

  /** Returns a new identifier. */
  name(like: string): string {
    return this.#identifiers.like(like);
  }

  bind(value: string, text: string): void {
    this.#texts.set(value, text);
  }

  /** Gives a value a new identifier, which is returned. */
  define(value: string, like: string): string {
    const name = this.name(like);
    this.bind(value, name);
    return name;
  }

  add(lines: readonly string[], isAsync = false): void {
    this.#statements.push({ kind: "text", lines });
    this.isAsync ||= isAsync;
  }

  /** Adds a call; one of a numbered module that takes the result of the call before becomes a loop with it. */
  call({ fn, ops, path, inputs, results, like, isOnlyReader }: BodyCall): void {
    const args = inputs.map(this.textOf);
    this.isAsync ||= fn.isAsync;
    this.usesWeights ||= fn.usesWeights;
    const paths = [fn.usesWeights ? path : null];
    const calls = { kind: "calls", fn: fn.name, ops, isAsync: fn.isAsync, paths, args, carries: null } as const;
    const [before, [result]] = [this.#statements.at(-1), results];
    const both =
      before?.kind === "calls" && result !== undefined
        ? joined(before, { ...calls, results }, isOnlyReader(this.#last))
        : null;
    this.#last = result ?? "";
    if (both === null) {
      this.#statements.push({ ...calls, results: results.map((value) => this.define(value, like)) });
    } else {
      this.#statements[this.#statements.length - 1] = both;
      this.bind(result!, both.results[0]!);
    }
  }

  get lines(): readonly string[] {
    return this.#statements.flatMap(statementLines);
  }
}
