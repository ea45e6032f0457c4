import type { OpSchema } from "@pt2/registry";
import type { RandomBelow } from "@pt2/testing/random";
import type { ArgSpec, CallSpec, ListSpec, TensorSpec } from "./call-spec.ts";
import { ArgSource, DTYPES_TRIED, FILLS, FORMS, SIZES } from "./random-call.ts";

/** Makes a call that differs from one that ran in one argument or a few. */
export function mutateCall(call: CallSpec, schema: OpSchema, next: RandomBelow): CallSpec {
  const source = new ArgSource(next);
  const args: Record<string, ArgSpec> = { ...call.args };
  for (let count = 1 + (next(3) === 0 ? next(3) : 0); count > 0; count--) {
    const { name, type } = schema.args[next(Math.max(1, schema.args.length))] ?? {};
    if (name === undefined || type === undefined) break;
    const old = args[name];
    args[name] = old === undefined || next(8) === 0 ? source.arg(type, name) : mutateArg(old, name, source);
  }
  return { op: call.op, args };
}

function mutateArg(arg: ArgSpec, name: string, source: ArgSource): ArgSpec {
  switch (arg.kind) {
    case "tensor":
      return source.next(12) === 0 ? { kind: "none" } : mutateTensor(arg, source);
    case "list":
      return mutateList(arg, name, source);
    case "int":
      return source.next(3) === 0 ? nudged(arg.value, source) : source.int();
    case "float":
      return source.float();
    case "bool":
      return { kind: "bool", value: !arg.value };
    case "none":
      return source.next(2) === 0 ? source.tensor(name) : source.int();
    default:
      return source.next(2) === 0 ? { kind: "none" } : arg;
  }
}

function nudged(value: string, source: ArgSource): ArgSpec {
  const change = source.pick([1n, -1n, BigInt(value)]);
  return { kind: "int", value: String(BigInt.asIntN(64, BigInt(value) + change)) };
}

function mutateTensor(tensor: TensorSpec, source: ArgSource): TensorSpec {
  const { shape } = tensor;
  const at = source.next(Math.max(1, shape.length));
  switch (source.next(8)) {
    case 0:
      return { ...tensor, dtype: source.pick(DTYPES_TRIED) };
    case 1:
      return { ...tensor, fill: source.pick(FILLS) };
    case 2:
      return { ...tensor, form: source.pick(FORMS) };
    case 3:
      return { ...tensor, shape: shape.toSpliced(at, 1) };
    case 4:
      return { ...tensor, shape: shape.toSpliced(at, 0, source.pick(SIZES)) };
    case 5:
      return { ...tensor, shape: shape.map(() => 1) };
    case 6:
      return shape.length === 0 ? tensor : { ...tensor, shape: shape.with(at, shape[at]! * 4 + source.next(3)) };
    default:
      return shape.length === 0 ? tensor : { ...tensor, shape: shape.with(at, source.pick(SIZES)) };
  }
}

function mutateList({ items }: ListSpec, name: string, source: ArgSource): ListSpec {
  const at = source.next(Math.max(1, items.length));
  const item = items[at];
  switch (source.next(4)) {
    case 0:
      return { kind: "list", items: items.slice(1) };
    case 1:
      return { kind: "list", items: item === undefined ? [source.int()] : [...items, item] };
    default:
      if (item === undefined) return { kind: "list", items };
      return { kind: "list", items: items.with(at, mutateArg(item, name, source)) };
  }
}
