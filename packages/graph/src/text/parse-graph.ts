import type { Arg, Graph, NamedArg, Node, Output, ValueType } from "../ir.ts";
import type { Scanner } from "../scanner.ts";
import { parseArg, parseName, parseOp, parseOrigin } from "./parse-arg.ts";
import { parseType } from "./parse-type.ts";
import { impliedName } from "./print-arg.ts";
import { impliedNodeName } from "./print-program.ts";

const MAX_DEPTH = 64;
const LABEL = /("(?:[^"\\\n]|\\.)*"|[A-Za-z_]\w*)\s*:(?!:)/y;

/** Reads the statements of one graph and collects the types of its values. */
export class GraphParser {
  readonly scanner: Scanner;
  readonly values: Map<string, ValueType> = new Map();
  readonly nodes: Node[] = [];
  readonly #depth: number;

  constructor(scanner: Scanner, depth = 0) {
    if (depth > MAX_DEPTH) scanner.fail(`graphs nested deeper than ${MAX_DEPTH}`);
    this.scanner = scanner;
    this.#depth = depth;
  }

  /** `graph name(%x: f32[3]) { … }`, after the word `graph`. */
  nested(): { readonly name: string; readonly graph: Graph } {
    const name = this.scanner.peek("(") ? "" : parseName(this.scanner);
    const inner = new GraphParser(this.scanner, this.#depth + 1);
    const inputs = this.scanner.list("(", ")", () => (this.scanner.acceptWord("none") ? null : inner.definition()));
    this.scanner.expect("{");
    const outputs: Arg[] = [];
    inner.body(() => outputs.push(inner.arg()));
    return { name, graph: { inputs, nodes: inner.nodes, outputs, values: inner.values } };
  }

  /** Nodes, `return` and its results, and the closing brace. */
  body(result: () => void): void {
    while (!this.scanner.acceptWord("return")) this.#node();
    while (!this.scanner.accept("}")) {
      result();
      if (this.scanner.accept(",")) continue;
      this.scanner.expect("}");
      return;
    }
  }

  arg(): Arg {
    return parseArg(this.scanner, () => this.nested());
  }

  /** `%name: type`; the type may be missing. */
  definition(): string {
    this.scanner.expect("%");
    const name = parseName(this.scanner);
    if (this.scanner.accept(":")) this.values.set(name, parseType(this.scanner));
    return name;
  }

  #node(): void {
    const label = this.#label();
    const outputs = this.#outputs();
    const op = parseOp(this.scanner);
    const args = this.#args(op);
    const name = label ?? impliedNodeName(outputs) ?? this.scanner.fail("a node without results needs a name");
    this.nodes.push({ name, op, args, outputs, origin: parseOrigin(this.scanner) });
  }

  #label(): string | null {
    const label = this.scanner.done ? null : this.scanner.match(LABEL);
    if (label === null) return null;
    const name = label[1]!;
    return name.startsWith('"') ? (JSON.parse(name) as string) : name;
  }

  #outputs(): readonly Output[] {
    const outputs: Output[] = [];
    while (this.scanner.peek("%") || this.scanner.peek("[") || this.scanner.acceptWord("none")) {
      outputs.push(this.#output());
      if (this.scanner.accept(",")) continue;
      this.scanner.expect("=");
      break;
    }
    return outputs;
  }

  #output(): Output {
    if (this.scanner.peek("%")) return { kind: "value", name: this.definition() };
    if (!this.scanner.peek("[")) return { kind: "none" };
    return { kind: "list", names: this.scanner.list("[", "]", () => this.definition()) };
  }

  #args(op: string): readonly NamedArg[] {
    let position = 0;
    return this.scanner.list("(", ")", () => {
      const name = this.#argName() ?? impliedName(op, position) ?? this.scanner.fail("this argument needs a name");
      position++;
      return { name, arg: this.arg() };
    });
  }

  #argName(): string | null {
    const start = this.scanner.at;
    const name = this.scanner.tryString() ?? this.scanner.tryWord();
    if (name !== null && this.scanner.accept("=")) return name;
    this.scanner.at = start;
    return null;
  }
}
