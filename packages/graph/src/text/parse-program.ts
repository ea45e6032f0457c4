import type { TreeSpec } from "@pt2/format";
import { requireArgument } from "@pt2/format/options";
import type { Arg, Graph, InputSpec, OutputSpec, Program, SymRange } from "../ir.ts";
import { Scanner } from "../scanner.ts";
import { parseName } from "./parse-arg.ts";
import { GraphParser } from "./parse-graph.ts";
import { parseTree } from "./parse-tree.ts";

/** Reads the text form of a program. `;` starts a comment to the end of the line. */
export function parse(text: string): Program {
  requireArgument("parse()", "text", text, "string", "graph.options");
  const scanner = new Scanner(text);
  if (!scanner.acceptWord("program")) scanner.fail("expected `program`");
  const program = new ProgramParser(scanner).program();
  return scanner.done ? program : scanner.fail("expected the end of the text");
}

/** Reads the text form of a graph. */
export function parseGraph(text: string): Graph {
  const scanner = new Scanner(text);
  if (!scanner.acceptWord("graph")) scanner.fail("expected `graph`");
  const { graph } = new GraphParser(scanner).nested();
  return scanner.done ? graph : scanner.fail("expected the end of the text");
}

class ProgramParser {
  readonly #in: Scanner;
  readonly #graph: GraphParser;
  readonly #inputs: InputSpec[] = [];
  readonly #ranges = new Map<string, SymRange>();
  readonly #namedTuples = new Map<string, readonly string[]>();
  #forwardArgs: readonly string[] = [];
  #inSpec: TreeSpec | null = null;
  #outSpec: TreeSpec | null = null;

  constructor(scanner: Scanner) {
    this.#in = scanner;
    this.#graph = new GraphParser(scanner);
  }

  program(): Program {
    const dialect = this.#in.tryString() ?? "TRAINING";
    const torchVersion = this.#in.acceptWord("torch") ? this.#in.string() : "";
    this.#in.expect("{");
    while (this.#declaration());
    const outputs: Arg[] = [];
    const specs: OutputSpec[] = [];
    this.#graph.body(() => {
      outputs.push(this.#graph.arg());
      specs.push(this.#outputSpec());
    });
    const inputs = this.#inputs.map((spec) => (spec.kind === "constant_input" ? null : spec.value));
    return {
      graph: { inputs, nodes: this.#graph.nodes, outputs, values: this.#graph.values },
      inputs: this.#inputs,
      outputs: specs,
      ranges: this.#ranges,
      inSpec: this.#inSpec,
      outSpec: this.#outSpec,
      namedTuples: this.#namedTuples,
      forwardArgs: this.#forwardArgs,
      dialect,
      torchVersion,
    };
  }

  /** Parses a line before the nodes; returns false and consumes nothing when the nodes begin. */
  #declaration(): boolean {
    const start = this.#in.at;
    const word = this.#in.tryWord();
    const read = word === null ? undefined : this.#declarations[word];
    if (read === undefined || this.#in.peek(":")) {
      this.#in.at = start;
      return false;
    }
    read();
    return true;
  }

  readonly #declarations: Readonly<Record<string, () => void>> = {
    forward: () => {
      this.#forwardArgs = this.#names();
    },
    range: () => {
      const text = parseName(this.#in);
      this.#in.expect("=");
      const [min = null, max = null] = this.#in.list("[", "]", () => this.#bound());
      this.#ranges.set(text, { min, max });
    },
    named_tuple: () => {
      this.#namedTuples.set(this.#in.string(), this.#names());
    },
    in_spec: () => {
      this.#inSpec = parseTree(this.#in);
    },
    out_spec: () => {
      this.#outSpec = parseTree(this.#in);
    },
    user_input: () => {
      this.#inputs.push({
        kind: "user_input",
        value: this.#in.acceptWord("none") ? null : this.#graph.definition(),
      });
    },
    constant_input: () => {
      const name = this.#target();
      this.#inputs.push({ kind: "constant_input", name, constant: this.#graph.arg() });
    },
    token: () => {
      this.#inputs.push({ kind: "token", value: this.#graph.definition() });
    },
    buffer: () => this.#buffer(true),
    transient_buffer: () => this.#buffer(false),
    parameter: () => this.#named("parameter"),
    tensor_constant: () => this.#named("tensor_constant"),
    custom_obj: () => this.#named("custom_obj"),
  };

  #buffer(persistent: boolean): void {
    const target = this.#target();
    this.#inputs.push({ kind: "buffer", value: this.#graph.definition(), target, persistent });
  }

  #named(kind: "parameter" | "tensor_constant" | "custom_obj"): void {
    const target = this.#target();
    this.#inputs.push({ kind, value: this.#graph.definition(), target });
  }

  #target(): string {
    const target = this.#in.string();
    this.#in.expect("=");
    return target;
  }

  #names(): readonly string[] {
    return this.#in.list("(", ")", () => parseName(this.#in));
  }

  #bound(): number | bigint | null {
    const arg = this.#graph.arg();
    if (arg.kind === "none") return null;
    return arg.kind === "int" ? arg.value : this.#in.fail("expected an integer or `none`");
  }

  #outputSpec(): OutputSpec {
    if (!this.#in.accept("->")) return { kind: "user_output" };
    const kind = this.#in.word();
    switch (kind) {
      case "user_output":
      case "loss_output":
      case "token":
        return { kind };
      case "buffer_mutation":
      case "parameter_mutation":
      case "user_input_mutation":
      case "gradient_to_parameter":
      case "gradient_to_user_input":
        return { kind, target: this.#in.string() };
      default:
        return this.#in.fail(`\`${kind}\` is not a kind of output`);
    }
  }
}
