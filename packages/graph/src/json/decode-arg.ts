import type { Arg, Graph } from "../ir.ts";
import { LAYOUTS, MEMORY_FORMATS } from "../torch-names.ts";
import { DTYPE_NAMES, decodeDevice } from "./decode-type.ts";
import type { JsonReader } from "./json-reader.ts";

/** Reads a nested graph; the graph decoder passes it. */
export type DecodeGraph = (json: JsonReader) => Graph;

const KINDS: { readonly [K in Arg["kind"]]: (json: JsonReader, graph: DecodeGraph) => Extract<Arg, { kind: K }> } = {
  none: () => ({ kind: "none" }),
  value: (json) => ({ kind: "value", name: json.at("name").string() }),
  int: (json) => ({ kind: "int", value: json.at("value").int() }),
  float: (json) => ({ kind: "float", value: json.at("value").float() }),
  bool: (json) => ({ kind: "bool", value: json.at("value").boolean() }),
  string: (json) => ({ kind: "string", value: json.at("value").string() }),
  complex: (json) => ({ kind: "complex", re: json.at("re").float(), im: json.at("im").float() }),
  dtype: (json) => ({ kind: "dtype", value: json.at("value").oneOf(DTYPE_NAMES) }),
  device: (json) => ({ kind: "device", value: decodeDevice(json.at("value")) }),
  layout: (json) => ({ kind: "layout", value: json.at("value").oneOf(LAYOUTS) }),
  memory_format: (json) => ({ kind: "memory_format", value: json.at("value").oneOf(MEMORY_FORMATS) }),
  operator: (json) => ({ kind: "operator", op: json.at("op").string() }),
  graph: (json, graph) => ({ kind: "graph", name: json.at("name").string(), graph: graph(json.at("graph")) }),
  list: (json, graph) => ({ kind: "list", items: json.at("items").list((item) => decodeArg(item, graph)) }),
  dict: (json, graph) => ({ kind: "dict", entries: json.at("entries").list((item) => entry(item, graph)) }),
};

/** Reads an argument. */
export function decodeArg(json: JsonReader, graph: DecodeGraph): Arg {
  return KINDS[json.at("kind").oneOf(Object.keys(KINDS) as Arg["kind"][])](json, graph);
}

function entry(json: JsonReader, graph: DecodeGraph): readonly [string, Arg] {
  const [key, value] = json.list((item) => item);
  return key === undefined || value === undefined
    ? json.fail("[key, argument]")
    : [key.string(), decodeArg(value, graph)];
}
