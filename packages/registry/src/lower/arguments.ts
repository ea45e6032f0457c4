import type { Arg, Graph, Node } from "@pt2/graph";
import { registryError } from "../registry-errors.ts";
import type { ArgValue } from "../tensor-meta.ts";

/** The values of a graph while it is lowered, by name. */
export type Environment = Pick<ReadonlyMap<string, ArgValue>, "get">;

/** Returns the value of an IR argument. For graphs, which control flow takes, see {@link operandOf}. */
export function argValue(arg: Arg, env: Environment, node: Node): ArgValue {
  switch (arg.kind) {
    case "none":
      return null;
    case "value": {
      const value = env.get(arg.name);
      if (value === undefined) {
        throw registryError("registry.undefined-value", {
          what: `Value %${arg.name} is used before it is defined`,
          where: describe(node),
          advice: "Run validate() on the graph; a pass or the exporter produced an invalid program.",
        });
      }
      return value;
    }
    case "float":
      return { float: arg.value };
    case "complex":
      return { re: arg.re, im: arg.im };
    case "int":
    case "bool":
    case "string":
    case "dtype":
    case "layout":
    case "memory_format":
      return arg.value;
    case "device":
      return arg.value.index === null ? arg.value.type : `${arg.value.type}:${arg.value.index}`;
    case "operator":
      return arg.op;
    case "list":
      return arg.items.map((item) => argValue(item, env, node));
    case "graph":
    case "dict":
      throw registryError("registry.argument", {
        what: `An argument of kind ${arg.kind} cannot be given to ${node.op}`,
        where: describe(node),
        advice: "Export with run_decompositions(), or register a handler for this op.",
      });
  }
}

/** Returns the values of a node's arguments by name. */
export function namedArgs(node: Node, env: Environment): Record<string, ArgValue> {
  // An argument may have any name in a file, `__proto__` too.
  return Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, env, node)]));
}

/** Does the same as {@link argValue} for the operands of a higher-order op. */
export function operandOf(arg: Arg, env: Environment, node: Node): ArgValue | Graph {
  return arg.kind === "graph" ? arg.graph : argValue(arg, env, node);
}

/**
 * Formats a node for an error message: `aten::add.Tensor %add (block.conv, model.py:41)`. If one step computes several
 * nodes, the given one comes last.
 */
export function describe({ origin, ...node }: Node, computed: readonly Pick<Node, "op" | "name">[] = [node]): string {
  const names = computed.map(({ op, name }) => `${op} %${name}`).join(" + ");
  const place = [origin.modulePath, origin.line].filter((part) => part !== undefined && part !== "").join(", ");
  return place === "" ? names : `${names} (${place})`;
}
