import type { Graph, Node, NodeOrigin, Output } from "../ir.ts";
import { decodeArg } from "./decode-arg.ts";
import { decodeType } from "./decode-type.ts";
import type { JsonReader } from "./json-reader.ts";

/** Reads a graph. */
export function decodeGraph(json: JsonReader): Graph {
  return {
    inputs: json.at("inputs").list((name) => name.nullable((reader) => reader.string())),
    nodes: json.at("nodes").list(node),
    outputs: json.at("outputs").list((arg) => decodeArg(arg, decodeGraph)),
    values: json.at("values").map(decodeType),
  };
}

function node(json: JsonReader): Node {
  return {
    name: json.at("name").string(),
    op: json.at("op").string(),
    args: json
      .at("args")
      .list((named) => ({ name: named.at("name").string(), arg: decodeArg(named.at("arg"), decodeGraph) })),
    outputs: json.at("outputs").list(output),
    origin: origin(json.at("origin")),
  };
}

function output(json: JsonReader): Output {
  const kind = json.at("kind").oneOf(["value", "list", "none"]);
  if (kind === "value") return { kind, name: json.at("name").string() };
  return kind === "list" ? { kind, names: json.at("names").list((name) => name.string()) } : { kind };
}

function origin(json: JsonReader): NodeOrigin {
  const text = (key: Exclude<keyof NodeOrigin, "joined">): NodeOrigin => {
    const member = json.at(key);
    return member.value === undefined ? {} : { [key]: member.string() };
  };
  return { ...text("modulePath"), ...text("moduleClass"), ...text("line"), ...text("code") };
}
