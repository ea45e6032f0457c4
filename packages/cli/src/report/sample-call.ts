import { type Archive, type PyValue, readTensor, type SampleInputs } from "@pt2/format";
import type { Call, HostTensor } from "@pt2/runtime";
import { toHostTensor } from "./host-tensor.ts";

/** Returns the example call of an archive, or undefined where it has none or it cannot be read. */
export async function sampleCall(archive: Archive, model?: string): Promise<Call | undefined> {
  const samples = await archive.sampleInputs(model);
  return samples && (await toCall(samples));
}

async function toCall({ args, kwargs }: SampleInputs): Promise<Call> {
  const named = kwargs.map(async ([name, value]) => [name, await toJavaScript(value)] as const);
  return { args: await Promise.all(args.map(toJavaScript)), kwargs: Object.fromEntries(await Promise.all(named)) };
}

async function toJavaScript(value: PyValue): Promise<unknown> {
  switch (value.kind) {
    case "none":
      return null;
    case "tensor":
      return (await readTensorOf(value)) satisfies HostTensor;
    case "tuple":
    case "list":
    case "set":
      return await Promise.all(value.items.map(toJavaScript));
    case "dict":
      return await toMap(value.entries);
    case "object": {
      const attributes = value.attributes.map(async ([name, item]) => [name, await toJavaScript(item)] as const);
      return Object.fromEntries(await Promise.all(attributes));
    }
    case "class":
      return value.name;
    case "device":
      return value.value.type;
    case "complex":
      return [value.real, value.imag];
    default:
      return value.value;
  }
}

async function readTensorOf({ tensor }: PyValue & { readonly kind: "tensor" }): Promise<HostTensor> {
  return toHostTensor(await readTensor(tensor));
}

async function toMap(entries: readonly (readonly [PyValue, PyValue])[]): Promise<ReadonlyMap<unknown, unknown>> {
  const pairs = entries.map(async ([key, item]) => [await toJavaScript(key), await toJavaScript(item)] as const);
  return new Map(await Promise.all(pairs));
}
