import type { JsonReader } from "../json/json-reader.ts";
import { bool, type Decode, string } from "../json/json-reader.ts";
import type { Json } from "../json/parse-json.ts";
import { argument } from "./decode-graph.ts";
import { named } from "./decode-value.ts";
import type { ConstantValue, InputSpec, OutputSpec } from "./exported-program.ts";

/** Decodes `{ arg: { name }, [key]: string }`, the shape of most specs. */
function pair(json: JsonReader, value: Json, key: string): readonly [name: string, other: string] {
  const object = json.object(value);
  return [json.at(object, "arg", named), json.at(object, key, string)];
}

const arg: Decode<string> = (json, value) => json.at(json.object(value), "arg", named);

const CONSTANT: Readonly<Record<ConstantValue["kind"], Decode<ConstantValue>>> = {
  as_none: () => ({ kind: "as_none" }),
  as_int: (json, value) => ({ kind: "as_int", value: json.int(value) }),
  as_float: (json, value) => ({ kind: "as_float", value: json.float(value) }),
  as_string: (json, value) => ({ kind: "as_string", value: json.string(value) }),
  as_bool: (json, value) => ({ kind: "as_bool", value: json.bool(value) }),
};

const INPUT: Readonly<Record<InputSpec["kind"], Decode<InputSpec>>> = {
  user_input: (json, value) => ({ kind: "user_input", arg: json.at(json.object(value), "arg", argument) }),
  parameter: (json, value) => {
    const [name, parameterName] = pair(json, value, "parameter_name");
    return { kind: "parameter", name, parameterName };
  },
  buffer: (json, value) => {
    const [name, bufferName] = pair(json, value, "buffer_name");
    return { kind: "buffer", name, bufferName, persistent: json.at(json.object(value), "persistent", bool) };
  },
  tensor_constant: (json, value) => {
    const [name, tensorConstantName] = pair(json, value, "tensor_constant_name");
    return { kind: "tensor_constant", name, tensorConstantName };
  },
  custom_obj: (json, value) => {
    const [name, customObjName] = pair(json, value, "custom_obj_name");
    const classFqn = json.at(json.object(value), "arg", (reader, inner) =>
      reader.at(reader.object(inner), "class_fqn", string),
    );
    return { kind: "custom_obj", name, classFqn, customObjName };
  },
  token: (json, value) => ({ kind: "token", name: arg(json, value) }),
  constant_input: (json, value) => {
    const object = json.object(value);
    const constant: Decode<ConstantValue> = (reader, inner) => reader.variant(inner, CONSTANT, "a constant input");
    return { kind: "constant_input", name: json.at(object, "name", string), value: json.at(object, "value", constant) };
  },
};

/** Decodes the spec of a graph input. */
export const inputSpec: Decode<InputSpec> = (json, value) => json.variant(value, INPUT, "an input spec");

const OUTPUT: Readonly<Record<OutputSpec["kind"], Decode<OutputSpec>>> = {
  user_output: (json, value) => ({ kind: "user_output", arg: json.at(json.object(value), "arg", argument) }),
  loss_output: (json, value) => ({ kind: "loss_output", name: arg(json, value) }),
  buffer_mutation: (json, value) => {
    const [name, bufferName] = pair(json, value, "buffer_name");
    return { kind: "buffer_mutation", name, bufferName };
  },
  parameter_mutation: (json, value) => {
    const [name, parameterName] = pair(json, value, "parameter_name");
    return { kind: "parameter_mutation", name, parameterName };
  },
  user_input_mutation: (json, value) => {
    const [name, userInputName] = pair(json, value, "user_input_name");
    return { kind: "user_input_mutation", name, userInputName };
  },
  gradient_to_parameter: (json, value) => {
    const [name, parameterName] = pair(json, value, "parameter_name");
    return { kind: "gradient_to_parameter", name, parameterName };
  },
  gradient_to_user_input: (json, value) => {
    const [name, userInputName] = pair(json, value, "user_input_name");
    return { kind: "gradient_to_user_input", name, userInputName };
  },
  token: (json, value) => ({ kind: "token", name: arg(json, value) }),
};

/** Decodes the spec of a graph output. */
export const outputSpec: Decode<OutputSpec> = (json, value) => json.variant(value, OUTPUT, "an output spec");
