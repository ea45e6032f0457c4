import type {
  Argument,
  ConstantValue,
  ExportedProgram,
  InputSpec as FileInput,
  OutputSpec as FileOutput,
  ModuleCallEntry,
  TreeSpec,
} from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { Arg, InputSpec, OutputSpec, Program } from "../ir.ts";
import { requireProgram } from "../validate/require-program.ts";
import { exampleSizes } from "./example-sizes.ts";
import { exportArg } from "./export-argument.ts";
import { exportGraph } from "./export-graph.ts";
import { exportTree } from "./export-tree.ts";

/** The version of the file format that is written, that of PyTorch 2.13. PyTorch reads other minor versions too. */
const SCHEMA_VERSION = { major: 8, minor: 20 };

/**
 * Converts a program to what a `.pt2` file has, the inverse of `importProgram`. `writeArchive` of `@pt2/format` writes it
 * with its weights, and `torch.export.load` opens the file. Guards of inputs and the traces of Python, which the IR does
 * not keep, are not in it. Throws `graph.export` for what no file can have.
 */
export function exportProgram(program: Program): ExportedProgram {
  requireProgram("exportProgram()", program);
  const { graph, dialect, torchVersion } = program;
  const constants = program.inputs.map(
    (spec): Argument => (spec.kind === "constant_input" ? constant(spec.constant) : NONE),
  );
  const file = exportGraph(graph, exampleSizes(program), constants);
  return {
    graphModule: {
      graph: file,
      inputSpecs: program.inputs.map((spec, i) => inputSpec(spec, file.inputs[i]!, program)),
      outputSpecs: program.outputs.map((spec, i) => outputSpec(spec, file.outputs[i]!)),
      moduleCallGraph: moduleCalls(program),
      metadata: new Map(),
      namedtupleFields: program.namedTuples,
    },
    opsetVersion: new Map([["aten", 10]]),
    rangeConstraints: program.ranges,
    guardsCode: [],
    schemaVersion: SCHEMA_VERSION,
    torchVersion,
    dialect,
    verifiers: [dialect],
  };
}

const NONE: Argument = { kind: "as_none" };

function constant(value: Arg): ConstantValue {
  const argument = exportArg(value, new Map(), () => {
    throw graphError("graph.export", { what: "A constant input is a graph" });
  });
  return argument as ConstantValue;
}

function inputSpec(spec: InputSpec, arg: Argument, { graph }: Program): FileInput {
  switch (spec.kind) {
    case "user_input":
      return { kind: "user_input", arg };
    case "constant_input":
      return { kind: "constant_input", name: spec.name, value: arg as ConstantValue };
    case "parameter":
      return { kind: "parameter", name: spec.value, parameterName: spec.target };
    case "buffer":
      return { kind: "buffer", name: spec.value, bufferName: spec.target, persistent: spec.persistent };
    case "tensor_constant":
      return { kind: "tensor_constant", name: spec.value, tensorConstantName: spec.target };
    case "custom_obj": {
      const type = graph.values.get(spec.value);
      const classFqn = type?.kind === "object" ? type.className : "";
      return { kind: "custom_obj", name: spec.value, classFqn, customObjName: spec.target };
    }
    case "token":
      return { kind: "token", name: spec.value };
  }
}

function outputSpec(spec: OutputSpec, arg: Argument): FileOutput {
  if (spec.kind === "user_output") return { kind: "user_output", arg };
  if (!("name" in arg) || arg.name === null) {
    throw graphError("graph.export", { what: `An output of the kind ${spec.kind} is ${arg.kind}, not a tensor` });
  }
  const { name } = arg;
  switch (spec.kind) {
    case "loss_output":
    case "token":
      return { kind: spec.kind, name };
    case "buffer_mutation":
      return { kind: spec.kind, name, bufferName: spec.target };
    case "parameter_mutation":
    case "gradient_to_parameter":
      return { kind: spec.kind, name, parameterName: spec.target };
    case "user_input_mutation":
    case "gradient_to_user_input":
      return { kind: spec.kind, name, userInputName: spec.target };
  }
}

/** The root with its calling convention, and the modules that nodes come from. */
function moduleCalls(program: Program): readonly ModuleCallEntry[] {
  const { graph, forwardArgs, inSpec, outSpec } = program;
  const trees = { inSpec: inSpec ?? flatInputs(program), outSpec: outSpec ?? flatOutputs(program) };
  const texts = { inSpecText: exportTree(trees.inSpec), outSpecText: exportTree(trees.outSpec) };
  const signature = { inputs: [], outputs: [], ...trees, ...texts, forwardArgNames: forwardArgs };
  const paths = new Set(graph.nodes.flatMap(({ origin }) => origin.modulePath || []));
  return [{ fqn: "", signature }, ...[...paths].map((fqn) => ({ fqn, signature: null }))];
}

const LEAF: TreeSpec = { type: null, context: null, children: [] };

/** The calling convention of a program that states none: positional inputs. */
function flatInputs({ inputs }: Program): TreeSpec {
  const leaves = inputs.flatMap(({ kind }) => (kind === "user_input" || kind === "constant_input" ? LEAF : []));
  const args = { type: "builtins.tuple", context: null, children: leaves };
  const kwargs = { type: "builtins.dict", context: [], children: [] };
  return { type: "builtins.tuple", context: null, children: [args, kwargs] };
}

/** One result by itself, several as a tuple. */
function flatOutputs({ outputs }: Program): TreeSpec {
  const leaves = outputs.flatMap(({ kind }) => (kind === "user_output" || kind === "loss_output" ? LEAF : []));
  return leaves.length === 1 ? LEAF : { type: "builtins.tuple", context: null, children: leaves };
}
