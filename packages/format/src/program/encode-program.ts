import { type Writable, writeJson } from "../json/write-json.ts";
import { requireArgument } from "../options.ts";
import { encodeArgument, encodeArgumentKind, encodeSym, encodeSymFloat, encodeTensorMeta } from "./encode-value.ts";
import type {
  Argument,
  ExportedProgram,
  Graph,
  InputSpec,
  ModuleCallEntry,
  Node,
  OutputSpec,
} from "./exported-program.ts";

/** Formats the `models/*.json` text of a program. */
export function formatProgram(program: ExportedProgram): string {
  requireArgument("formatProgram()", "program", program, "{ graphModule }", "format.options");
  const { graphModule, schemaVersion } = program;
  return writeJson({
    graph_module: {
      graph: encodeGraph(graphModule.graph),
      signature: {
        input_specs: graphModule.inputSpecs.map(encodeInputSpec),
        output_specs: graphModule.outputSpecs.map(encodeOutputSpec),
      },
      module_call_graph: graphModule.moduleCallGraph.map(encodeModuleCall),
      metadata: graphModule.metadata,
      treespec_namedtuple_fields: mapValues(graphModule.namedtupleFields, (names) => ({ field_names: names })),
    },
    opset_version: program.opsetVersion,
    range_constraints: mapValues(program.rangeConstraints, ({ min, max }) => ({ min_val: min, max_val: max })),
    schema_version: { major: schemaVersion.major, minor: schemaVersion.minor },
    verifiers: program.verifiers,
    torch_version: program.torchVersion,
    guards_code: program.guardsCode,
  });
}

function mapValues<T>(map: ReadonlyMap<string, T>, encode: (value: T) => Writable): ReadonlyMap<string, Writable> {
  return new Map([...map].map(([key, value]) => [key, encode(value)]));
}

const argument = (arg: Argument): Writable =>
  encodeArgument(arg, ({ name, graph }) => ({ name, graph: encodeGraph(graph) }));

function encodeGraph(graph: Graph): Writable {
  return {
    inputs: graph.inputs.map(argument),
    outputs: graph.outputs.map(argument),
    nodes: graph.nodes.map(encodeNode),
    tensor_values: mapValues(graph.tensorValues, encodeTensorMeta),
    sym_int_values: mapValues(graph.symIntValues, encodeSym),
    sym_bool_values: mapValues(graph.symBoolValues, encodeSym),
    is_single_tensor_return: graph.isSingleTensorReturn,
    custom_obj_values: mapValues(graph.customObjValues, ({ name, classFqn }) => ({ name, class_fqn: classFqn })),
    sym_float_values: mapValues(graph.symFloatValues, encodeSymFloat),
  };
}

function encodeNode(node: Node): Writable {
  const { outputs, single } = hopOutputs(node);
  return {
    target: node.target,
    inputs: node.inputs.map(({ name, arg, kind }) => ({ name, arg: argument(arg), kind: encodeArgumentKind(kind) })),
    outputs: outputs.map(argument),
    metadata: node.metadata.raw,
    is_hop_single_tensor_return: single,
    name: node.name,
  };
}

/** Before schema 8.7 a higher-order op wrote its results as one list, without saying how it returns them. */
function hopOutputs(node: Node): { readonly outputs: readonly Argument[]; readonly single: boolean | null } {
  const { outputs, isHopSingleTensorReturn: single } = node;
  const [first] = outputs;
  if (single !== null || outputs.length !== 1 || !node.target.startsWith("torch.ops.higher_order.")) {
    return { outputs, single };
  }
  if (first?.kind !== "as_tensors") return { outputs, single: true };
  return { outputs: first.names.map((name) => ({ kind: "as_tensor", name })), single: false };
}

function encodeInputSpec(spec: InputSpec): Writable {
  switch (spec.kind) {
    case "user_input":
      return { user_input: { arg: argument(spec.arg) } };
    case "constant_input":
      return { constant_input: { name: spec.name, value: argument(spec.value) } };
    case "parameter":
      return { parameter: { arg: { name: spec.name }, parameter_name: spec.parameterName } };
    case "buffer": {
      const { name, bufferName, persistent } = spec;
      return { buffer: { arg: { name }, buffer_name: bufferName, persistent } };
    }
    case "tensor_constant":
      return { tensor_constant: { arg: { name: spec.name }, tensor_constant_name: spec.tensorConstantName } };
    case "custom_obj": {
      const { name, classFqn, customObjName } = spec;
      return { custom_obj: { arg: { name, class_fqn: classFqn }, custom_obj_name: customObjName } };
    }
    case "token":
      return { token: { arg: { name: spec.name } } };
  }
}

function encodeOutputSpec(spec: OutputSpec): Writable {
  switch (spec.kind) {
    case "user_output":
      return { user_output: { arg: argument(spec.arg) } };
    case "buffer_mutation":
      return { buffer_mutation: { arg: { name: spec.name }, buffer_name: spec.bufferName } };
    case "parameter_mutation":
    case "gradient_to_parameter":
      return { [spec.kind]: { arg: { name: spec.name }, parameter_name: spec.parameterName } };
    case "user_input_mutation":
    case "gradient_to_user_input":
      return { [spec.kind]: { arg: { name: spec.name }, user_input_name: spec.userInputName } };
    default:
      return { [spec.kind]: { arg: { name: spec.name } } };
  }
}

function encodeModuleCall({ fqn, signature }: ModuleCallEntry): Writable {
  if (signature === null) return { fqn, signature: null };
  return {
    fqn,
    signature: {
      inputs: signature.inputs.map(argument),
      outputs: signature.outputs.map(argument),
      in_spec: signature.inSpecText,
      out_spec: signature.outSpecText,
      forward_arg_names: signature.forwardArgNames,
    },
  };
}
