import { graphError } from "./graph-errors.ts";
import type { OpName } from "./ir.ts";

const CANONICAL = /^(?<ns>[^:\s]+)::(?<op>[^:.\s]+)(?:\.(?<overload>[^:\s]+))?$/;
const FX = /^torch\.ops\.(?<ns>[^.:\s]+)\.(?<op>[^.:\s]+)(?:\.(?<overload>[^:\s]+))?$/;
const HIGHER_ORDER = /^torch\._higher_order_ops\.(?:[\w.]+\.)?(?<op>\w+)$/;
/** Python functions have no overload: `_operator.mul`, `math.trunc`, `torch.sym_max`. */
const PYTHON = /^(?<ns>_operator|operator|math|builtins|torch(?:\.\w+)*)\.(?<op>\w+)$/;
const EXTENSION = /^(?<ns>#[^:\s]+):(?<op>[^:.\s]+)(?:\.(?<overload>[^:\s]+))?$/;
const DOTTED = /^(?<ns>[^.:\s]+)\.(?<op>[^.:\s]+)(?:\.(?<overload>[^:\s]+))?$/;

/**
 * Returns the canonical name of an operator, from any spelling in use: `aten::add.Tensor`, `aten.add.Tensor`,
 * `torch.ops.aten.add.Tensor`, `torch.ops.higher_order.cond`, `_operator.mul`, `torch.sym_max`. The overload `default`
 * is omitted.
 */
export function parseOpName(text: string): OpName {
  const parts =
    CANONICAL.exec(text) ??
    FX.exec(text) ??
    HIGHER_ORDER.exec(text) ??
    PYTHON.exec(text) ??
    EXTENSION.exec(text) ??
    DOTTED.exec(text);
  if (parts === null) {
    throw graphError("graph.op-name", {
      what: `\`${text}\` is not the name of an operator`,
      advice: "write it as `namespace::op.overload`, for example `aten::add.Tensor`",
      details: { text },
    });
  }
  const { ns = "higher_order", op, overload } = parts.groups ?? {};
  const space = ns === "operator" ? "_operator" : ns;
  return overload === undefined || overload === "default" ? `${space}::${op}` : `${space}::${op}.${overload}`;
}

/** The components of a canonical name; an empty overload is the default one. */
export interface OpNameParts {
  readonly namespace: string;
  readonly op: string;
  readonly overload: string;
}

/** Splits a canonical name. */
export function splitOpName(name: OpName): OpNameParts {
  const colon = name.indexOf("::");
  const rest = name.slice(colon + 2);
  const dot = rest.indexOf(".");
  const namespace = name.slice(0, Math.max(colon, 0));
  return dot < 0
    ? { namespace, op: rest, overload: "" }
    : { namespace, op: rest.slice(0, dot), overload: rest.slice(dot + 1) };
}
