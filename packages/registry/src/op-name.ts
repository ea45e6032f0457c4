import type { OpName } from "@pt2/graph";
import { registryError } from "./registry-errors.ts";

const NAME = /^(?:torch\.ops\.)?([A-Za-z_]\w*)(?:::|\.)(\w+)(?:\.(\w+|\*))?$/;

/**
 * The one spelling of an op's name, `ns::op.overload`, from `ns::op.overload`, `ns.op.overload` or
 * `torch.ops.ns.op.overload`. The overload `default` is the empty one. `*` stands for every overload.
 */
export function normalizeOpName(name: string): OpName {
  const found = NAME.exec(name.trim());
  if (found === null) {
    throw registryError("registry.op-name", {
      what: `\`${name}\` is no op name`,
      advice: "write `ns::op.overload`, `ns.op.overload` or `torch.ops.ns.op.overload`",
    });
  }
  const [, namespace, op, overload] = found;
  return overload === undefined || overload === "default" ? `${namespace}::${op}` : `${namespace}::${op}.${overload}`;
}

/** `aten::add.Tensor` without its overload, `aten::add`. */
export function packetOf(name: OpName): OpName {
  const dot = name.indexOf(".");
  return dot < 0 ? name : name.slice(0, dot);
}
