import type { TreeSpec } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { Graph, Program } from "../ir.ts";
import { countLeaves } from "../pytree/pytree-structure.ts";
import { isModuleResult } from "../query/output-kinds.ts";
import { graphProblems } from "./graph-problems.ts";
import type { Problem } from "./problem.ts";
import { requireSubject } from "./require-program.ts";

/** Returns every rule that a graph or program breaks, without throwing. A valid one gives an empty list. */
export function validate(subject: Program | Graph): readonly Problem[] {
  requireSubject("validate()", subject);
  if ("nodes" in subject) return graphProblems(subject);
  return [...graphProblems(subject.graph), ...signatureProblems(subject), ...treeProblems(subject)];
}

/** Throws `graph.invalid` with the first problems, if there are any. */
export function assertValid(subject: Program | Graph, after?: string): void {
  const problems = validate(subject);
  if (problems.length === 0) return;
  const shown = problems.slice(0, 5).map(({ code, message, where }) => `${message} (${code}, ${where})`);
  throw graphError("graph.invalid", {
    what: `The graph breaks ${problems.length} rule${problems.length === 1 ? "" : "s"}: ${shown.join("; ")}`,
    where: after,
    advice: "if a pass of yours made this graph, run `validate` after each step to find the one that breaks it",
    details: { problems },
  });
}

function signatureProblems({ graph, inputs, outputs }: Program): readonly Problem[] {
  const problems: Problem[] = [];
  const report = (message: string): void => {
    problems.push({ code: "signature", message, where: "the signature" });
  };
  if (inputs.length !== graph.inputs.length) report(`${graph.inputs.length} inputs, ${inputs.length} specs`);
  if (outputs.length !== graph.outputs.length) report(`${graph.outputs.length} results, ${outputs.length} specs`);
  inputs.forEach((spec, i) => {
    const value = spec.kind === "constant_input" ? null : spec.value;
    if (i < graph.inputs.length && value !== graph.inputs[i]) {
      report(`input ${i} is \`${graph.inputs[i]}\` and its spec says \`${value}\``);
    }
  });
  const targets = new Set(inputs.map((spec) => `${spec.kind}:${"target" in spec ? spec.target : nameOf(spec)}`));
  const written = new Set<string>();
  for (const spec of outputs) {
    if (!("target" in spec)) continue;
    const key = `${spec.kind.replace(/_mutation$|^gradient_to_/, "")}:${spec.target}`;
    if (!targets.has(key)) report(`${spec.kind} of \`${spec.target}\`, which is not an input`);
    if (written.has(`${spec.kind}:${spec.target}`)) report(`${spec.kind} of \`${spec.target}\` twice`);
    written.add(`${spec.kind}:${spec.target}`);
  }
  return problems;
}

function nameOf(spec: Program["inputs"][number]): string {
  if (spec.kind === "constant_input") return spec.name;
  return spec.value ?? "";
}

function treeProblems({ inputs, outputs, inSpec, outSpec }: Program): readonly Problem[] {
  const given = inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input").length;
  const results = outputs.filter(isModuleResult).length;
  return [...leafProblem("in_spec", inSpec, given), ...leafProblem("out_spec", outSpec, results)];
}

function leafProblem(where: string, spec: TreeSpec | null, specs: number): readonly Problem[] {
  const leaves = spec === null ? specs : countLeaves(spec);
  return leaves === specs ? [] : [{ code: "tree", message: `${leaves} leaves, ${specs} in the signature`, where }];
}
