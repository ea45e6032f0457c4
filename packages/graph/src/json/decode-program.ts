import type { TreeSpec } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { CustomOp, InputSpec, OpName, OutputSpec, Program } from "../ir.ts";
import { assertValid } from "../validate/validate.ts";
import { decodeArg } from "./decode-arg.ts";
import { decodeGraph } from "./decode-graph.ts";
import { JsonReader } from "./json-reader.ts";
import { IR_VERSION, type Json } from "./json-types.ts";

const TARGETED = [
  "buffer_mutation",
  "parameter_mutation",
  "user_input_mutation",
  "gradient_to_parameter",
  "gradient_to_user_input",
] as const;

/** Reads a document of {@link toJson}, and validates it. */
export function fromJson(document: Json): Program {
  const root = new JsonReader(document);
  const version = root.at("irVersion").value;
  if (version !== IR_VERSION) {
    throw graphError("graph.json", {
      what: `The document has version ${JSON.stringify(version) ?? "none"}, but only version ${IR_VERSION} can be read`,
      where: "$.irVersion",
      advice: "write it again from the .pt2 file",
    });
  }
  const program: Program = {
    dialect: root.at("dialect").string(),
    torchVersion: root.at("torchVersion").string(),
    forwardArgs: root.at("forwardArgs").list((name) => name.string()),
    ranges: root.at("ranges").map((range) => ({ min: bound(range.at("min")), max: bound(range.at("max")) })),
    namedTuples: root.at("namedTuples").map((fields) => fields.list((field) => field.string())),
    inSpec: root.at("inSpec").nullable(tree),
    outSpec: root.at("outSpec").nullable(tree),
    inputs: root.at("inputs").list(inputSpec),
    outputs: root.at("outputs").list(outputSpec),
    ...(root.at("customOps").value !== undefined && { customOps: customOps(root.at("customOps")) }),
    graph: decodeGraph(root.at("graph")),
  };
  assertValid(program, "the JSON document");
  return program;
}

function customOps(json: JsonReader): ReadonlyMap<OpName, CustomOp> {
  return json.map((op) => ({
    schema: op.at("schema").string(),
    package: op.at("package").string(),
    version: op.at("version").nullable((version) => version.string()),
  }));
}

function bound(json: JsonReader): number | bigint | null {
  return json.nullable((reader) => reader.int());
}

function tree(json: JsonReader): TreeSpec {
  return {
    type: json.at("type").nullable((type) => type.string()),
    context: json.at("context").value,
    children: json.at("children").list(tree),
  };
}

function inputSpec(json: JsonReader): InputSpec {
  const kind = json
    .at("kind")
    .oneOf(["user_input", "constant_input", "parameter", "buffer", "tensor_constant", "custom_obj", "token"]);
  if (kind === "user_input") return { kind, value: json.at("value").nullable((name) => name.string()) };
  if (kind === "constant_input") {
    return { kind, name: json.at("name").string(), constant: decodeArg(json.at("constant"), decodeGraph) };
  }
  const value = json.at("value").string();
  if (kind === "token") return { kind, value };
  const target = json.at("target").string();
  return kind === "buffer"
    ? { kind, value, target, persistent: json.at("persistent").boolean() }
    : { kind, value, target };
}

function outputSpec(json: JsonReader): OutputSpec {
  const kind = json.at("kind").oneOf(["user_output", "loss_output", "token", ...TARGETED]);
  if (kind === "user_output" || kind === "loss_output" || kind === "token") return { kind };
  return { kind, target: json.at("target").string() };
}
