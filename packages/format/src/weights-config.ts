import { bool, type Decode, JsonReader, mapOf, string } from "./json/json-reader.ts";
import { parseJson } from "./json/parse-json.ts";
import { tensorMeta } from "./program/decode-value.ts";
import type { SymInt, TensorMeta } from "./program/exported-program.ts";
import type { View } from "./view.ts";

/** An entry of `*_weights_config.json`: the metadata of one tensor. */
export interface Payload {
  /** The path relative to the config's folder. */
  readonly pathName: string;
  readonly isParam: boolean;
  readonly usePickle: boolean;
  /** Null for objects that are not tensors. */
  readonly tensor: (View & Pick<TensorMeta, "requiresGrad" | "device">) | null;
}

/** Parses a payload config. */
export function parsePayloads(bytes: Uint8Array, entry: string): ReadonlyMap<string, Payload> {
  const json = new JsonReader(entry, "format.weights");
  return json.at(json.object(parseJson(bytes, entry)), "config", mapOf(payload));
}

const payload: Decode<Payload> = (json, value) => {
  const object = json.object(value);
  return {
    pathName: json.at(object, "path_name", string),
    isParam: json.at(object, "is_param", bool),
    usePickle: json.optional(object, "use_pickle", bool, false),
    tensor: json.optional(object, "tensor_meta", payloadTensor, null),
  };
};

const payloadTensor: Decode<NonNullable<Payload["tensor"]>> = (json, value) => {
  const meta = tensorMeta(json, value);
  if (meta.layout !== "strided") json.fail(`a tensor of layout ${meta.layout} cannot be read`);
  return {
    dtype: meta.dtype,
    shape: meta.sizes.map((size) => concrete(json, size)),
    strides: meta.strides.map((stride) => concrete(json, stride)),
    storageOffset: concrete(json, meta.storageOffset),
    requiresGrad: meta.requiresGrad,
    device: meta.device,
  };
};

/** Returns a size as a number: sizes of weights are never symbolic. */
export function concrete(json: JsonReader, size: SymInt): number {
  if (size.kind === "as_int" && typeof size.value === "number") return size.value;
  return json.fail("the size of a stored tensor is not a number");
}
