import { DTYPES, numel } from "@pt2/format";
import type { Node } from "@pt2/graph";
import { declaredEffects } from "../effects.ts";
import type { HandlerFunction } from "../handler.ts";
import { describe } from "../lower/arguments.ts";
import type { OpRecord } from "../op.ts";
import { registryError } from "../registry-errors.ts";
import type { HandlerTensor, TensorMeta } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describeValue } from "./describe-value.ts";
import { type Claim, requireRecorded } from "./recorded-types.ts";

/** A tensor, or the tensors of a `Tensor[]`. */
export type HandlerAnswer<Tensor = HandlerTensor> = Tensor | readonly Tensor[];

/** One call of a user's function for a node. */
export interface HandledCall extends Pick<Claim, "node" | "types" | "operand" | "who"> {
  /** The record of the op, if it has one, which determines what it writes to. */
  readonly record: Pick<OpRecord, "schema" | "mutates"> | undefined;
  /** The arguments of the function; tensors have their own data. */
  readonly args: Readonly<Record<string, unknown>>;
}

/** Checks that a handler's `compile` returned a function, and returns it. */
export function requireFunction(run: unknown, node: Node): HandlerFunction {
  if (typeof run === "function") return run as HandlerFunction;
  throw registryError("registry.result", {
    what: `\`compile\` of the handler of ${node.op} returned ${describeValue(run)}, not a function`,
    where: describe(node),
    advice: "return the function that computes the op: `compile: (node, ctx) => ({ args, call }) => …`",
    details: { op: node.op },
  });
}

/**
 * Returns the results of a node, one entry per output: what the function returned, followed by the arguments that the
 * op writes to and does not return.
 */
export function answersOf<Tensor extends TensorMeta = HandlerTensor>(
  returned: unknown,
  call: HandledCall,
): readonly HandlerAnswer<Tensor>[] {
  const { node, record, args, who } = call;
  const { mutates, aliases } = record === undefined ? { mutates: [], aliases: [] } : declaredEffects(record);
  const outputs = node.outputs.length;
  // Only a functionalized node has outputs for them.
  const left = mutates.filter((name) => !aliases.some(({ arg }) => arg === name));
  const own = Math.max(0, outputs - left.length);
  const given = own === 0 ? [] : listOf(returned, call);
  const isList = own === 1 && node.outputs[0]?.kind === "list";
  const answers = isList ? [given] : given;
  if (answers.length < own) {
    throw registryError("registry.result", {
      what: `${who} of ${node.op} returned ${answers.length} of ${own} results`,
      where: describe(node),
      advice: "return one tensor `{ dtype, shape, data }` per return of the op, in an array if there are several",
      details: { op: node.op },
    });
  }
  const results = [...answers.slice(0, own), ...left.map((name) => args[name])];
  requireRecorded({ ...call, results });
  return results as readonly HandlerAnswer<Tensor>[];
}

function listOf(returned: unknown, { node, who }: HandledCall): readonly unknown[] {
  const list = Array.isArray(returned) ? (returned as readonly unknown[]) : [returned];
  const tensors = list.flatMap((each): readonly unknown[] => (Array.isArray(each) ? each : [each]));
  const wrong = tensors.findIndex((each) => !isHandlerTensor(each));
  if (wrong < 0) {
    for (const tensor of tensors as readonly HandlerTensor[]) requireData(tensor, node, who);
    return list;
  }
  throw registryError("registry.result", {
    what: `${who} of ${node.op} returned ${describeValue(tensors[wrong])}${tensors.length > 1 ? ` as result ${wrong}` : ""}, not a tensor`,
    where: describe(node),
    advice: "return `{ dtype, shape, data }`, or an array of such, one per return of the op",
    details: { op: node.op },
  });
}

function requireData({ dtype, shape, data }: HandlerTensor, node: Node, who: string): void {
  // A tensor without data was made by the backend itself.
  if (data === null) return;
  const expected = numel(shape) * (DTYPES[dtype]?.itemsize ?? Number.NaN);
  if (data.byteLength === expected) return;
  throw registryError("registry.result", {
    what: `${who} of ${node.op} returned ${dtype} [${shape.join(", ")}] with ${data.byteLength} bytes of data, not ${expected}`,
    where: describe(node),
    advice: "return as many elements as the shape has, in the dtype's typed array",
    details: { op: node.op },
  });
}

function isHandlerTensor(value: unknown): value is HandlerTensor {
  return isTensorMeta(value) && "data" in value && (value.data === null || ArrayBuffer.isView(value.data));
}
