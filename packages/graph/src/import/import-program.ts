import type { ExportedProgram, InputSpec as FileInput, OutputSpec as FileOutput } from "@pt2/format";
import { requireArgument } from "@pt2/format/options";
import { graphError } from "../graph-errors.ts";
import type { InputSpec, OutputSpec, Program, ValueType } from "../ir.ts";
import { importArg } from "./import-argument.ts";
import { importGraph } from "./import-graph.ts";
import { unfoldObjects } from "./tree-objects.ts";

/** Converts the program of a file to the immutable IR. */
export function importProgram(file: ExportedProgram): Program {
  requireArgument("importProgram()", "file", file, "{ graphModule }", "graph.options");
  const { graphModule } = file;
  const imported = importGraph(graphModule.graph, { parsed: new Map(), where: "the program", depth: 0 });
  const ordering = tokens(graphModule.inputSpecs);
  const graph = ordering.length === 0 ? imported : { ...imported, values: new Map([...ordering, ...imported.values]) };
  requireArity("input", graph.inputs.length, graphModule.inputSpecs.length);
  requireArity("output", graph.outputs.length, graphModule.outputSpecs.length);
  const root = graphModule.moduleCallGraph.find(({ fqn }) => fqn === "")?.signature ?? null;
  return {
    graph,
    inputs: graphModule.inputSpecs.map((spec, i) => inputSpec(spec, graph.inputs[i]!)),
    outputs: graphModule.outputSpecs.map(outputSpec),
    ranges: new Map([...file.rangeConstraints].map(([text, { min, max }]) => [text, { min, max }])),
    inSpec: root && unfoldObjects(root.inSpec),
    outSpec: root && unfoldObjects(root.outSpec),
    namedTuples: new Map(graphModule.namedtupleFields),
    forwardArgs: root?.forwardArgNames ?? [],
    dialect: file.dialect,
    torchVersion: file.torchVersion,
  };
}

/** Effect tokens order side effects and have no type in the file. */
function tokens(specs: readonly FileInput[]): readonly (readonly [string, ValueType])[] {
  return specs.flatMap((spec) =>
    spec.kind === "token" ? [[spec.name, { kind: "object", className: "token" }] as const] : [],
  );
}

function requireArity(what: string, values: number, specs: number): void {
  if (values === specs) return;
  throw graphError("graph.import", {
    what: `The graph has ${values} ${what}s and the signature describes ${specs}`,
    where: `signature.${what}_specs`,
    advice: "the file is damaged or was not written by torch.export.save; export it again",
  });
}

function inputSpec(spec: FileInput, value: string | null): InputSpec {
  switch (spec.kind) {
    case "user_input":
      return { kind: "user_input", value };
    case "constant_input":
      return {
        kind: "constant_input",
        name: spec.name,
        constant: importArg(spec.value, () => {
          throw graphError("graph.import", { what: `The constant input \`${spec.name}\` is a graph` });
        }),
      };
    case "parameter":
      return { kind: "parameter", value: spec.name, target: spec.parameterName };
    case "buffer":
      return { kind: "buffer", value: spec.name, target: spec.bufferName, persistent: spec.persistent };
    case "tensor_constant":
      return { kind: "tensor_constant", value: spec.name, target: spec.tensorConstantName };
    case "custom_obj":
      return { kind: "custom_obj", value: spec.name, target: spec.customObjName };
    case "token":
      return { kind: "token", value: spec.name };
  }
}

function outputSpec(spec: FileOutput): OutputSpec {
  switch (spec.kind) {
    case "user_output":
    case "loss_output":
    case "token":
      return { kind: spec.kind };
    case "buffer_mutation":
      return { kind: spec.kind, target: spec.bufferName };
    case "parameter_mutation":
    case "gradient_to_parameter":
      return { kind: spec.kind, target: spec.parameterName };
    case "user_input_mutation":
    case "gradient_to_user_input":
      return { kind: spec.kind, target: spec.userInputName };
  }
}
