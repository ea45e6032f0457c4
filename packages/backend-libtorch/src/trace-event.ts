import type { TraceEvent, TraceOutput, Value } from "@pt2/backend";
import type { Node, Output } from "@pt2/graph";
import { describeNode } from "@pt2/registry";
import type { NativeValue } from "./addon.ts";
import { toValues } from "./run-values.ts";

/**
 * Makes the event of a node's results, by the names of the program. Tensors on a device stay there until they are read.
 */
export async function traceEvent(node: Node, results: readonly NativeValue[]): Promise<TraceEvent> {
  const outputs: TraceOutput[] = [];
  const named = namedResults(node.outputs, results);
  const values: readonly Value[] = await toValues(
    named.map(({ result }) => result),
    "device",
  );
  named.forEach(({ name }, i) => {
    outputs.push({ name, value: values[i]! });
  });
  return { node: node.name, op: node.op, where: describeNode(node), outputs };
}

interface NamedResult {
  readonly name: string;
  readonly result: NativeValue;
}

function namedResults(outputs: readonly Output[], results: readonly NativeValue[]): readonly NamedResult[] {
  return outputs.flatMap((output, i) => {
    if (output.kind === "none") return [];
    if (output.kind === "value") return { name: output.name, result: results[i] ?? null };
    const given = results[i];
    // Higher-order ops return one by one what the program lists as one result.
    const items = Array.isArray(given) ? (given as readonly NativeValue[]) : results;
    return output.names.map((name, at) => ({ name, result: items[at] ?? null }));
  });
}
