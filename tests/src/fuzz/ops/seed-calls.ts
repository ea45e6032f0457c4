import { FAMILIES, loadFamily, type OpCase } from "@pt2/conformance";
import type { OpSchema } from "@pt2/registry";
import type { ArgSpec, CallSpec } from "./call-spec.ts";
import { parseCall } from "./parse-call.ts";
import { RARE_CALLS } from "./rare-calls.ts";

/** Returns calls that run, by op, which random arguments seldom hit. */
export async function seedCalls(
  schemaOf: (op: string) => OpSchema | null,
): Promise<ReadonlyMap<string, readonly CallSpec[]>> {
  const families = await Promise.all(FAMILIES.map(loadFamily));
  const known = new Map<string, CallSpec[]>();
  const rare = RARE_CALLS.map((text) => parseCall(text, schemaOf)).filter((call) => call !== null);
  const all = [...rare, ...families.flatMap(({ cases }) => cases.map(callOf))];
  for (const call of all) known.set(call.op, [...(known.get(call.op) ?? []), call].slice(0, 6));
  return known;
}

type CaseArg = OpCase["args"][string];

/** Elements do not matter here, and indices become small ones. */
function callOf({ op, args, tensors }: OpCase): CallSpec {
  const spec = (arg: CaseArg): ArgSpec => {
    if (arg === null) return { kind: "none" };
    if (typeof arg === "boolean") return { kind: "bool", value: arg };
    if (typeof arg === "string") return { kind: "string", value: arg };
    if (typeof arg === "number") return { kind: "int", value: String(arg) };
    if (isList(arg)) return { kind: "list", items: arg.map(spec) };
    if ("tensor" in arg) {
      const { dtype, shape } = tensors[arg.tensor]!;
      return { kind: "tensor", dtype, shape, fill: "zeros", form: "dense" };
    }
    if ("float" in arg) return { kind: "float", value: String(arg.float) };
    if ("int" in arg) return { kind: "int", value: arg.int };
    if ("complex" in arg) return { kind: "complex", re: arg.complex[0], im: arg.complex[1] };
    if ("dtype" in arg) return { kind: "dtype", value: arg.dtype };
    if ("device" in arg) return { kind: "device", value: arg.device };
    if ("layout" in arg) return { kind: "layout", value: arg.layout };
    return { kind: "memory_format", value: arg.memory_format };
  };
  return { op, args: Object.fromEntries(Object.entries(args).map(([name, arg]) => [name, spec(arg)])) };
}

function isList(arg: CaseArg): arg is readonly CaseArg[] {
  return Array.isArray(arg);
}
