import { type OverloadOf, overloadsOf } from "@pt2/eager";
import { type Graph, splitOpName, walk } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { cliError } from "../cli-errors.ts";
import { Identifiers } from "./identifiers.ts";
import { NAMES } from "./module-header.ts";

/** A generated function. */
export interface Fn {
  readonly name: string;
  readonly isAsync: boolean;
  readonly usesWeights: boolean;
}

/** What all functions of a generated file share. */
export class ModuleFile {
  readonly registry: OpRegistry;
  readonly overloadOf: OverloadOf;
  /** The namespaces of ops that the program calls, with the parameter that has each; every function takes all. */
  readonly namespaces: ReadonlyMap<string, string>;
  /** The names of the file's functions. */
  readonly names: Identifiers;
  /** The functions, by their text without the name. */
  readonly #written = new Map<string, Fn>();
  readonly #texts: string[] = [];

  constructor(graph: Graph, registry: OpRegistry) {
    this.registry = registry;
    this.overloadOf = overloadsOf(registry);
    const listed = new Set(registry.list().map(({ op }) => splitOpName(op).namespace));
    const parameters = new Identifiers([...NAMES, "forward"]);
    const namespaces = new Map([["aten", "aten"]]);
    walk(graph, ({ op }) => {
      const { namespace } = splitOpName(op);
      if (listed.has(namespace) && !namespaces.has(namespace)) namespaces.set(namespace, parameters.like(namespace));
    });
    this.namespaces = namespaces;
    this.names = new Identifiers([...NAMES, "forward", ...namespaces.values()]);
  }

  get text(): string {
    return this.#texts.join("\n");
  }

  /** Returns new names for the values of one function. */
  scope(taken: readonly string[]): Identifiers {
    return new Identifiers([...NAMES, ...this.namespaces.values(), ...taken]);
  }

  /** Adds a function unless there is one with the same text after its name. `make` gives it a name. */
  add(rest: string, about: string, make: () => Fn): Fn {
    const known = this.#written.get(rest);
    if (known !== undefined) return known;
    const fn = make();
    const prefix = `${fn.name === "forward" ? "export " : ""}${fn.isAsync ? "async " : ""}function ${fn.name}`;
    this.#texts.push(`/** ${about} */\n${prefix}${rest}`);
    this.#written.set(rest, fn);
    return fn;
  }

  refuse(what: string, advice = "run it with `load` of @pt2/runtime"): never {
    throw cliError("cli.codegen", {
      what: `The program has ${what}, which cannot be written as eager calls`,
      advice,
    });
  }
}
