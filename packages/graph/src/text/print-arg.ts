import type { Arg, Graph, NamedArg, NodeOrigin, OpName } from "../ir.ts";
import { splitOpName } from "../op-name.ts";
import { printDevice } from "./print-type.ts";
import { printName } from "./short-names.ts";

/** Prints a nested graph; the graph printer passes it, as it has the indentation. */
export type PrintGraph = (name: string, graph: Graph) => string;

/** Prints the arguments of a call. The usual name of a first argument is omitted. */
export function printArgs(op: OpName, args: readonly NamedArg[], graph: PrintGraph): string {
  return args
    .map(({ name, arg }, i) => {
      const text = printArg(arg, graph);
      return name === impliedName(op, i) ? text : `${name === "" ? '""' : printName(name)}=${text}`;
    })
    .join(", ");
}

/** Returns the omitted name of an argument: `self` for the first one, and none in higher-order calls. */
export function impliedName(op: OpName, position: number): string | null {
  if (splitOpName(op).namespace === "higher_order") return "";
  return position === 0 ? "self" : null;
}

export function printArg(arg: Arg, graph: PrintGraph): string {
  switch (arg.kind) {
    case "none":
      return "none";
    case "value":
      return `%${printName(arg.name)}`;
    case "int":
    case "bool":
      return String(arg.value);
    case "float":
      return printFloat(arg.value);
    case "string":
      return JSON.stringify(arg.value);
    case "complex":
      return `complex(${printFloat(arg.re)}, ${printFloat(arg.im)})`;
    case "dtype":
    case "layout":
    case "memory_format":
      return `torch.${arg.value}`;
    case "device":
      return `device(${printDevice(arg.value)})`;
    case "operator":
      return `&${arg.op}`;
    case "graph":
      return graph(arg.name, arg.graph);
    case "list":
      return `[${arg.items.map((item) => printArg(item, graph)).join(", ")}]`;
    case "dict":
      return `{${arg.entries.map(([key, entry]) => `${JSON.stringify(key)}: ${printArg(entry, graph)}`).join(", ")}}`;
  }
}

/** Prints a float with a point, an exponent, or a name, so that it cannot be read as an int. */
function printFloat(value: number): string {
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Prints ` # block.act <torch.nn.ReLU> (model.py:41, in forward) : "y = self.act(x)"`; empty for an empty origin. */
export function printOrigin({ modulePath, moduleClass, line, code }: NodeOrigin): string {
  const parts = [
    modulePath === undefined ? "" : bare(modulePath, /^[\w.@-]+$/),
    moduleClass === undefined ? "" : `<${bare(moduleClass, /^[^<>"\s][^<>"\n]*$/)}>`,
    line === undefined ? "" : `(${bare(line, /^[^()"\s][^()"\n]*$/)})`,
    code === undefined ? "" : `: ${JSON.stringify(code)}`,
  ].filter((part) => part !== "");
  return parts.length === 0 ? "" : `  # ${parts.join(" ")}`;
}

function bare(text: string, pattern: RegExp): string {
  return pattern.test(text) ? text : JSON.stringify(text);
}
