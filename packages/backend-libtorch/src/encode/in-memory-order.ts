import type { Arg, Node, OpName, TensorType } from "@pt2/graph";
import type { GraphBuilder } from "@pt2/graph/passes";

/** What the new values are named after, and the node that they are made for. */
interface Made {
  readonly suffix: string;
  readonly origin: Node["origin"];
}

/**
 * Emits the form of a value whose dimensions lie in memory in this order: permute⁻¹(contiguous(permute(x))), which copies
 * nothing where they do.
 */
export function inMemoryOrder(
  value: string,
  order: readonly number[],
  builder: GraphBuilder,
  { suffix, origin }: Made,
): Arg {
  const type = builder.typeOf(value) as TensorType;
  const emit = (op: OpName, self: Arg, args: Node["args"], made: TensorType): Arg => {
    const results = [{ name: `${value}_${suffix}`, type: made }];
    const [name] = builder.emit({ op, args: [{ name: "self", arg: self }, ...args], results, origin });
    return { kind: "value", name: name! };
  };
  const permuted = (self: Arg, dims: readonly number[], made: TensorType): Arg => {
    if (dims.every((d, i) => d === i)) return self;
    const items = dims.map((d) => ({ kind: "int", value: d }) as const);
    return emit("aten::permute", self, [{ name: "dims", arg: { kind: "list", items } }], made);
  };
  const moved = { ...type, shape: order.map((d) => type.shape[d]!), strides: order.map((d) => type.strides[d]!) };
  const dense = emit("aten::contiguous", permuted({ kind: "value", name: value }, order, moved), [], moved);
  return permuted(
    dense,
    order.map((_, d) => order.indexOf(d)),
    type,
  );
}
