import { formatError } from "../format-errors.ts";
import {
  type Decode,
  type JsonObject,
  JsonReader,
  listOf,
  mapOf,
  smallInt,
  string,
  wideInt,
} from "../json/json-reader.ts";
import { parseJson } from "../json/parse-json.ts";
import { requireArgument } from "../options.ts";
import { argument, graph } from "./decode-graph.ts";
import { inputSpec, outputSpec } from "./decode-signature.ts";
import type {
  ExportedProgram,
  GraphModule,
  ModuleCallEntry,
  ModuleCallSignature,
  RangeConstraint,
} from "./exported-program.ts";
import { parseTreeSpec } from "./tree-spec.ts";

/** The schema's major version, which alone decides compatibility. */
const SCHEMA_MAJOR = 8;

/** Parses a `models/*.json` entry. */
export function parseProgram(bytes: Uint8Array, entry: string): ExportedProgram {
  requireArgument("parseProgram()", "bytes", bytes, "Uint8Array", "format.options");
  const json = new JsonReader(entry, "format.program");
  const root = json.object(parseJson(bytes, entry));
  const torchVersion = json.optional(root, "torch_version", string, "<=2.4");
  const schemaVersion = checkSchema(json, root, torchVersion, entry);
  const verifiers = json.optional(root, "verifiers", listOf(string), []);
  return {
    graphModule: json.at(root, "graph_module", graphModule),
    opsetVersion: json.optional(root, "opset_version", mapOf(smallInt), new Map()),
    rangeConstraints: json.optional(root, "range_constraints", mapOf(rangeConstraint), new Map()),
    guardsCode: json.optional(root, "guards_code", listOf(string), []),
    schemaVersion,
    torchVersion,
    dialect: verifiers[0] ?? json.optional(root, "dialect", string, "TRAINING"),
    verifiers,
  };
}

function checkSchema(
  json: JsonReader,
  root: JsonObject,
  torchVersion: string,
  entry: string,
): ExportedProgram["schemaVersion"] {
  const version = json.at(root, "schema_version", (reader, value) => {
    if (typeof value === "number") return { major: value, minor: 0 };
    const object = reader.object(value);
    return { major: reader.at(object, "major", smallInt), minor: reader.optional(object, "minor", smallInt, 0) };
  });
  if (version.major !== SCHEMA_MAJOR) throw schemaError(`${version.major}.${version.minor}`, torchVersion, entry);
  return version;
}

/** Creates the error for an unsupported schema version. */
export function schemaError(version: string, torchVersion: string, entry: string): Error {
  const old = Number.parseInt(version, 10) < SCHEMA_MAJOR;
  return formatError("format.schema-version", {
    what: `program schema ${version} (torch ${torchVersion}) is not supported; only major version ${SCHEMA_MAJOR} is`,
    where: entry,
    advice: old ? "re-export the model with torch 2.6 or later" : "update @pt2, or export with torch 2.6 to 2.15",
    details: { version, torchVersion },
  });
}

const graphModule: Decode<GraphModule> = (json, value) => {
  const object = json.object(value);
  const signature = json.at(object, "signature", (reader, inner) => {
    const specs = reader.object(inner);
    return {
      inputSpecs: reader.at(specs, "input_specs", listOf(inputSpec)),
      outputSpecs: reader.at(specs, "output_specs", listOf(outputSpec)),
    };
  });
  const result = {
    graph: json.at(object, "graph", graph),
    ...signature,
    moduleCallGraph: json.at(object, "module_call_graph", listOf(moduleCallEntry)),
    metadata: json.optional(object, "metadata", mapOf(string), new Map()),
    namedtupleFields: json.optional(object, "treespec_namedtuple_fields", mapOf(fieldNames), new Map()),
  };
  checkPairs(json, "input", result.graph.inputs.length, signature.inputSpecs.length);
  checkPairs(json, "output", result.graph.outputs.length, signature.outputSpecs.length);
  return result;
};

function checkPairs(json: JsonReader, what: string, values: number, specs: number): void {
  if (values !== specs) json.fail(`the graph has ${values} ${what}s, but its signature describes ${specs}`);
}

const fieldNames: Decode<readonly string[]> = (json, value) =>
  json.at(json.object(value), "field_names", listOf(string));

const rangeConstraint: Decode<RangeConstraint> = (json, value) => {
  const object = json.object(value);
  return { min: json.optional(object, "min_val", wideInt, null), max: json.optional(object, "max_val", wideInt, null) };
};

const moduleCallEntry: Decode<ModuleCallEntry> = (json, value) => {
  const object = json.object(value);
  return {
    fqn: json.at(object, "fqn", string),
    signature: json.optional(object, "signature", moduleCallSignature, null),
  };
};

const moduleCallSignature: Decode<ModuleCallSignature> = (json, value) => {
  const object = json.object(value);
  const spec = (key: string) =>
    json.at(object, key, (reader, text) => ({
      text: reader.string(text),
      spec: parseTreeSpec(reader.string(text), reader.place),
    }));
  const [inSpec, outSpec] = [spec("in_spec"), spec("out_spec")];
  return {
    inputs: json.at(object, "inputs", listOf(argument)),
    outputs: json.at(object, "outputs", listOf(argument)),
    inSpec: inSpec.spec,
    outSpec: outSpec.spec,
    inSpecText: inSpec.text,
    outSpecText: outSpec.text,
    forwardArgNames: json.optional(object, "forward_arg_names", listOf(string), null),
  };
};
