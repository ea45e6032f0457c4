import type { Backend, Value } from "@pt2/backend";
import { definitionsOf, type Graph, graphsOf, type InputSpec, type OutputSpec, type Program } from "@pt2/graph";
import { definedValues } from "./node-program.ts";
import { type Precision, runReturning, trace, type Values, type ValuesRequest } from "./program-values.ts";
import { isRecordedType, type RecordedNodes } from "./recorded-nodes.ts";
import { turnOf, withoutTurn } from "./value-places.ts";

/** A run whose values are compared with recorded ones. */
export interface RecordedRun extends ValuesRequest {
  readonly backend: Backend;
  readonly recorded: RecordedNodes;
  readonly precision: Precision;
}

/**
 * Computes the values of which there are recorded ones, in the order of the program: by a trace, and what it lacks by
 * returning it. Where there is no trace, nested graphs run as programs of their own, on their recorded inputs.
 */
export async function runRecorded(request: RecordedRun): Promise<Values> {
  const { backend, compile, recorded, precision } = request;
  const names = new Set(recorded.values.keys());
  const traced = precision === "exact" ? await trace(request, backend, names) : undefined;
  const nested = traced === undefined ? await runNested(request, compile.program.graph) : [];
  const found = new Map([...(traced ?? []), ...nested]);
  const rest = definedValues(compile.program).filter(({ value }) => names.has(value) && !found.has(value));
  if (rest.length > 0) {
    const wanted = rest.map(({ value }) => value);
    for (const [name, value] of await runReturning(request, backend, wanted, precision)) found.set(name, value);
  }
  return inOrder(compile.program, found);
}

/** Values of nested graphs come before the results of the node that they are in. */
function inOrder({ graph }: Program, values: Values): Values {
  const order = new Map<string, number>();
  graph.nodes.forEach((node, at) => {
    for (const name of [...definitionsOf(node), ...graphsOf(node).flatMap((nested) => valuesIn(nested.graph))])
      order.set(name, at);
  });
  const place = ([name]: readonly [string, Value]): number => order.get(withoutTurn(name)) ?? 0;
  return new Map([...values].sort((a, b) => place(a) - place(b)));
}

function valuesIn(graph: Graph): readonly string[] {
  return graph.nodes.flatMap((node) => [
    ...definitionsOf(node),
    ...graphsOf(node).flatMap((nested) => valuesIn(nested.graph)),
  ]);
}

/** Runs the graphs nested in a graph, the innermost first, as often as their inputs were recorded. */
async function runNested(request: RecordedRun, graph: Graph): Promise<readonly (readonly [string, Value])[]> {
  const found: (readonly [string, Value])[] = [];
  for (const node of graph.nodes) {
    const inside: (readonly [string, Value])[] = [];
    for (const { graph: inner } of graphsOf(node))
      inside.push(...(await runNested(request, inner)), ...(await runTurns(request, inner)));
    // The graphs of a loop take turns.
    found.push(...inside.sort(([a], [b]) => turnNumber(a) - turnNumber(b)));
  }
  return found;
}

function turnNumber(name: string): number {
  return Number(turnOf(name).slice(1));
}

async function runTurns(request: RecordedRun, graph: Graph): Promise<readonly (readonly [string, Value])[]> {
  const { compile, backend, recorded, precision } = request;
  const program = programOf(compile.program, graph);
  const named = graph.inputs.filter((name) => name !== null);
  const found: (readonly [string, Value])[] = [];
  for (let turn = 0; ; turn++) {
    const suffix = turn === 0 ? "" : `#${turn}`;
    const inputs = named.map((name) => recorded.values.get(`${name}${suffix}`));
    const wanted = valuesIn(graph).filter((name) => recorded.values.has(`${name}${suffix}`));
    if (wanted.length === 0 || !inputs.every(isValue)) return found;
    const run = { compile: { ...compile, program }, inputs };
    for (const [name, value] of await runReturning(run, backend, wanted, precision))
      found.push([`${name}${suffix}`, value]);
  }
}

function isValue(value: ReturnType<RecordedNodes["values"]["get"]>): value is Value {
  return value !== undefined && !isRecordedType(value);
}

/** Makes a nested graph a program whose inputs are the user's. */
function programOf(program: Program, graph: Graph): Program {
  const inputs = graph.inputs.map((value): InputSpec => ({ kind: "user_input", value }));
  const outputs = graph.outputs.map((): OutputSpec => ({ kind: "user_output" }));
  return { ...program, graph, inputs, outputs, inSpec: null, outSpec: null };
}
