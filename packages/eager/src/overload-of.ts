import { Pt2Error } from "@pt2/format";
import { type OpName, splitOpName } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { functionalRecords } from "./namespaces.ts";
import { Packet } from "./packet.ts";

/** Returns the overload that a call without the name of one means; null if none takes the arguments. */
export type OverloadOf = (op: OpName, given: readonly unknown[]) => OpName | null;

/**
 * Makes a function that chooses overloads of an op, `aten::add` or any of its overloads, as eager calls do. Arguments are
 * by position, then in one object by name; only `dtype` and `shape` of a tensor are looked at.
 */
export function overloadsOf(registry: OpRegistry): OverloadOf {
  const records = functionalRecords(registry);
  const packets = new Map<string, Packet>();
  return (name, given) => {
    const { namespace, op } = splitOpName(name);
    const overloads = records.get(namespace)?.get(op);
    if (overloads === undefined) return null;
    const packet = packets.get(`${namespace}::${op}`) ?? new Packet(overloads);
    packets.set(`${namespace}::${op}`, packet);
    try {
      return packet.choose(given).record.name;
    } catch (problem) {
      if (problem instanceof Pt2Error && problem.code === "eager.arguments") return null;
      throw problem;
    }
  };
}
