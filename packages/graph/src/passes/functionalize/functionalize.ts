import { requireArgument } from "@pt2/format/options";
import { graphError } from "../../graph-errors.ts";
import type { Arg, InputSpec, OutputSpec, Program } from "../../ir.ts";
import { requireProgram } from "../../validate/require-program.ts";
import type { EffectsOf } from "./effects.ts";
import { Functionalizer } from "./functionalizer.ts";
import { looksBehindViews } from "./memory.ts";
import { mutates } from "./node-effects.ts";

/**
 * Rewrites in-place operators, writes through views, and views of the memory behind views, to functional operators.
 * Writes to the program's inputs become results with `buffer_mutation`, `parameter_mutation` or `user_input_mutation`,
 * before the others. Inline no-grad regions first (`removeNoOps`): a nested graph must not write to its operands.
 * Inputs are assumed to have separate memories: tied weights of which one is written are not handled here.
 */
export function functionalize(program: Program, effects: EffectsOf): Program {
  requireProgram("functionalize()", program);
  requireArgument("functionalize()", "effects", effects, "function", "graph.options");
  if (!mutates(program.graph, effects) && !looksBehindViews(program.graph)) return program;
  const passed = program.inputs.flatMap((spec) =>
    spec.kind === "user_input" && spec.value !== null ? [spec.value] : [],
  );
  const rewriter = new Functionalizer(program.graph, effects, new Set(passed));
  const results = rewriter.run();
  const given = givenTargets(program);
  const written = program.inputs.flatMap((spec): readonly { readonly spec: OutputSpec; readonly arg: Arg }[] => {
    const value = spec.kind === "constant_input" ? null : spec.value;
    const isGiven = "target" in spec && given.has(spec.target);
    const tensor = value === null || isGiven ? undefined : rewriter.tensors.get(value);
    if (tensor === undefined || tensor.memory.generation === 0) return [];
    return [{ spec: mutationSpec(spec), arg: { kind: "value", name: tensor.memory.base.value } }];
  });
  const targets = new Set(written.flatMap(({ spec }) => ("target" in spec ? [spec.target] : [])));
  return {
    ...program,
    graph: rewriter.builder.build([...written.map(({ arg }) => arg), ...results]),
    inputs: program.inputs.map((spec) => asState(spec, targets)),
    outputs: [...written.map(({ spec }) => spec), ...program.outputs],
  };
}

/**
 * Returns the targets of which a result is the new value already, such as what in-place views made of them. What an input
 * was is none: that it is written too says what it becomes.
 */
function givenTargets({ graph, outputs }: Program): ReadonlySet<string> {
  const targets = outputs.flatMap((spec, i): readonly string[] => {
    const arg = graph.outputs[i];
    const isComputed = arg?.kind === "value" && !graph.inputs.includes(arg.name);
    return /r_mutation$/.test(spec.kind) && "target" in spec && isComputed ? [spec.target] : [];
  });
  return new Set(targets);
}

/** A constant that is written becomes state, like a buffer. */
function asState(spec: InputSpec, written: ReadonlySet<string>): InputSpec {
  if (spec.kind !== "tensor_constant" || !written.has(spec.target)) return spec;
  return { kind: "buffer", value: spec.value, target: spec.target, persistent: false };
}

function mutationSpec(spec: InputSpec): OutputSpec {
  switch (spec.kind) {
    case "parameter":
      return { kind: "parameter_mutation", target: spec.target };
    case "buffer":
    case "tensor_constant":
      return { kind: "buffer_mutation", target: spec.target };
    case "user_input":
      return { kind: "user_input_mutation", target: spec.value! };
    default:
      throw graphError("graph.mutation", {
        what: `The program writes to ${"target" in spec ? `\`${spec.target}\`, a ${spec.kind.replace("_", " ")}` : spec.kind}`,
        where: "the signature",
        advice: "register the tensor as a buffer of the module",
      });
  }
}
