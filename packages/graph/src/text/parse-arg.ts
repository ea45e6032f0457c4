import { DTYPES } from "@pt2/format";
import type { Arg, Graph, NodeOrigin } from "../ir.ts";
import type { Scanner } from "../scanner.ts";
import { toLiteral } from "../sym/python-number.ts";
import { LAYOUTS, MEMORY_FORMATS } from "../torch-names.ts";
import { parseDevice } from "./parse-type.ts";

const OP = /[^\s:(),\]}]+::[^\s(),\]}]+/y;

/** Reads a nested graph after the word `graph`. */
export type ParseGraph = () => { readonly name: string; readonly graph: Graph };

/** Parses the output of `printArg`. */
export function parseArg(scanner: Scanner, graph: ParseGraph): Arg {
  if (scanner.accept("%")) return { kind: "value", name: parseName(scanner) };
  if (scanner.peek("[")) return { kind: "list", items: scanner.list("[", "]", () => parseArg(scanner, graph)) };
  if (scanner.peek("{")) return { kind: "dict", entries: scanner.list("{", "}", () => parseEntry(scanner, graph)) };
  if (scanner.accept("&")) return { kind: "operator", op: parseOp(scanner) };
  const string = scanner.tryString();
  if (string !== null) return { kind: "string", value: string };
  return tryNumber(scanner) ?? parseWord(scanner, graph);
}

/** Reads an identifier or a quoted name. */
export function parseName(scanner: Scanner): string {
  return scanner.tryString() ?? scanner.word();
}

/** Reads `namespace::op.overload`. */
export function parseOp(scanner: Scanner): string {
  return (scanner.done ? null : scanner.match(OP)?.[0]) ?? scanner.fail("expected an operator");
}

function parseEntry(scanner: Scanner, graph: ParseGraph): readonly [string, Arg] {
  const key = scanner.string();
  scanner.expect(":");
  return [key, parseArg(scanner, graph)];
}

function tryNumber(scanner: Scanner): Arg | null {
  const minus = scanner.accept("-");
  const text = scanner.tryNumber();
  if (text === null) {
    if (!minus) return null;
    if (scanner.acceptWord("inf")) return { kind: "float", value: Number.NEGATIVE_INFINITY };
    return scanner.fail("expected a number");
  }
  if (!/^\d+$/.test(text)) return { kind: "float", value: minus ? -Number(text) : Number(text) };
  const int = toLiteral(BigInt(text));
  return { kind: "int", value: minus && int !== 0 ? -int : int };
}

function readFloat(scanner: Scanner): number {
  const arg = parseArg(scanner, () => scanner.fail("expected a number"));
  return arg.kind === "float" ? arg.value : scanner.fail("expected a float");
}

function parseWord(scanner: Scanner, graph: ParseGraph): Arg {
  const word = scanner.word();
  switch (word) {
    case "none":
      return { kind: "none" };
    case "true":
    case "false":
      return { kind: "bool", value: word === "true" };
    case "inf":
      return { kind: "float", value: Number.POSITIVE_INFINITY };
    case "nan":
      return { kind: "float", value: Number.NaN };
    case "graph":
      return { kind: "graph", ...graph() };
    case "device": {
      const [value] = scanner.list("(", ")", () => parseDevice(scanner));
      return { kind: "device", value: value ?? scanner.fail("expected a device") };
    }
    case "complex": {
      const [re = 0, im = 0] = scanner.list("(", ")", () => readFloat(scanner));
      return { kind: "complex", re, im };
    }
    case "torch":
      scanner.expect(".");
      return parseTorchName(scanner, scanner.word());
    default:
      return scanner.fail(`\`${word}\` is not an argument`);
  }
}

function parseTorchName(scanner: Scanner, name: string): Arg {
  if (Object.hasOwn(DTYPES, name)) return { kind: "dtype", value: name as keyof typeof DTYPES };
  const layout = LAYOUTS.find((known) => known === name);
  if (layout !== undefined) return { kind: "layout", value: layout };
  const format = MEMORY_FORMATS.find((known) => known === name);
  if (format !== undefined) return { kind: "memory_format", value: format };
  return scanner.fail(`torch has no dtype, layout or memory format \`${name}\``);
}

/** Parses the output of `printOrigin`. */
export function parseOrigin(scanner: Scanner): NodeOrigin {
  if (!scanner.accept("#")) return {};
  const path = scanner.peek(":") ? null : (scanner.tryString() ?? scanner.match(/[\w.@-]+/y)?.[0] ?? null);
  const className = enclosed(scanner, "<", /[^>"\n]+/y, ">");
  const line = enclosed(scanner, "(", /[^)"\n]+/y, ")");
  const code = scanner.accept(":") ? scanner.string() : null;
  return {
    ...(path === null ? {} : { modulePath: path }),
    ...(className === null ? {} : { moduleClass: className }),
    ...(line === null ? {} : { line }),
    ...(code === null ? {} : { code }),
  };
}

function enclosed(scanner: Scanner, open: string, bare: RegExp, close: string): string | null {
  if (!scanner.accept(open)) return null;
  const text = scanner.tryString() ?? scanner.match(bare)?.[0] ?? scanner.fail(`expected a text before \`${close}\``);
  scanner.expect(close);
  return text;
}
