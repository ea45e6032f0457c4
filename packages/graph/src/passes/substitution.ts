import type { Arg, Node } from "../ir.ts";
import { mapArg, mapArgs } from "../query/map-node.ts";

/** Maps values that a pass replaced to other values or literals. */
export class Substitution {
  readonly #replaced = new Map<string, Arg>();

  get size(): number {
    return this.#replaced.size;
  }

  /** Replaces a name within one name space: a replacement that was itself replaced is followed. */
  set(name: string, replacement: Arg): void {
    this.#replaced.set(name, this.arg(replacement));
  }

  /** Binds a name of another name space: the replacement is not followed. */
  bind(name: string, replacement: Arg): void {
    this.#replaced.set(name, replacement);
  }

  has(name: string): boolean {
    return this.#replaced.has(name);
  }

  arg(arg: Arg): Arg {
    return mapArg(arg, this.#leaf);
  }

  node(node: Node): Node {
    return mapArgs(node, this.#leaf);
  }

  readonly #leaf = (leaf: Arg): Arg => (leaf.kind === "value" ? (this.#replaced.get(leaf.name) ?? leaf) : leaf);
}
