import type { TreeSpec } from "@pt2/format";
import { countLeaves, type NamedTuples, type Structure, structureOf } from "@pt2/graph";
import type { LeafInfo } from "@pt2/runtime";
import { type Direction, leafType } from "./leaf-type.ts";
import { propertyName, stringLiteral } from "./quote.ts";

/** Writes the types of pytrees whose leaves follow each other. */
export class TreeTypes {
  readonly #leaves: readonly LeafInfo[];
  readonly #namedTuples: NamedTuples;
  readonly #direction: Direction;
  #at = 0;

  constructor(leaves: readonly LeafInfo[], namedTuples: NamedTuples, direction: Direction) {
    this.#leaves = leaves;
    this.#namedTuples = namedTuples;
    this.#direction = direction;
  }

  /** Writes the type of the next tree. */
  next(spec: TreeSpec, indent = ""): string {
    const structure = structureOf(spec, this.#namedTuples);
    switch (structure.kind) {
      case "leaf":
        return this.#leaf();
      case "opaque":
        return tupleType(
          Array.from({ length: countLeaves(spec) }, () => this.#leaf()),
          indent,
        );
      case "sequence":
        return tupleType(
          spec.children.map((child) => this.next(child, `${indent}  `)),
          indent,
        );
      case "mapping":
        return this.#mapping(spec, structure, indent);
      case "record":
        return this.#record(spec, structure, indent);
    }
  }

  /** Returns the leaves that the trees so far did not take. */
  rest(): readonly LeafInfo[] {
    return this.#leaves.slice(this.#at);
  }

  #leaf(): string {
    const leaf = this.#leaves[this.#at++];
    return leaf === undefined ? "unknown" : leafType(leaf.type, this.#direction);
  }

  #mapping(spec: TreeSpec, { keys }: Structure & { kind: "mapping" }, indent: string): string {
    if (keys.every((key) => typeof key === "string")) {
      return objectType(
        keys.map((key, i) => ({ name: key, type: this.next(spec.children[i]!, `${indent}  `) })),
        indent,
      );
    }
    const values = spec.children.map((child) => this.next(child, indent));
    const literals = keys.map((key) => (typeof key === "string" ? stringLiteral(key) : String(key)));
    return `ReadonlyMap<${[...new Set(literals)].join(" | ")}, ${[...new Set(values)].join(" | ")}>`;
  }

  #record(spec: TreeSpec, { fields, absent }: Structure & { kind: "record" }, indent: string): string {
    const present = fields.map((name, i) => ({ name, type: this.next(spec.children[i]!, `${indent}  `) }));
    const optional = this.#direction === "input";
    return objectType([...present, ...absent.map((name) => ({ name, type: "null", optional }))], indent);
  }
}

/** A property of an object type. */
export interface Property {
  readonly name: string;
  readonly type: string;
  readonly optional?: boolean;
  /** Lines of documentation, safe for a comment. */
  readonly about?: readonly string[];
}

/** Writes an object type, one property a line. Of properties with one name the last counts, as in an object. */
export function objectType(properties: readonly Property[], indent = ""): string {
  const unique = [...new Map(properties.map((property) => [property.name, property])).values()];
  if (unique.length === 0) return "Record<string, never>";
  const lines = unique.flatMap(({ name, type, optional = false, about = [] }) => [
    ...docComment(about, `${indent}  `),
    `${indent}  readonly ${propertyName(name)}${optional ? "?" : ""}: ${type};`,
  ]);
  return ["{", ...lines, `${indent}}`].join("\n");
}

/** Writes a documentation comment, of lines that are safe for one. */
export function docComment(about: readonly string[], indent = ""): readonly string[] {
  if (about.length === 0) return [];
  if (about.length === 1) return [`${indent}/** ${about[0]} */`];
  return [`${indent}/**`, ...about.map((line) => `${indent} * ${line}`.trimEnd()), `${indent} */`];
}

const LINE_LENGTH = 100;

/** Writes a tuple type, of items that were written one level deeper: on one line if they fit. */
export function tupleType(items: readonly string[], indent = ""): string {
  const line = `readonly [${items.join(", ")}]`;
  if (indent.length + line.length <= LINE_LENGTH && !line.includes("\n")) return line;
  return ["readonly [", ...items.map((item) => `${indent}  ${item},`), `${indent}]`].join("\n");
}
