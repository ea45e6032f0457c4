import { type Backend, type CompileRequest, hostTensor, type Value } from "@pt2/backend";
import { definitionsOf, type Node, type Program, walk } from "@pt2/graph";
import { type Definition, definedValues, nodeProgram, operandsOf, withResults } from "./node-program.ts";

/** A program with its inputs. */
export interface ValuesRequest {
  readonly compile: Omit<CompileRequest, "precision">;
  /** User inputs that have a value in the graph, in order. */
  readonly inputs: readonly Value[];
}

/** Values of a program by name. */
export type Values = ReadonlyMap<string, Value>;

/** Computes every value, node by node where the backend supports traces; else in one run that returns them all. */
export async function runNodes(request: ValuesRequest, backend: Backend): Promise<Values> {
  const names = definedValues(request.compile.program).map(({ value }) => value);
  return (await traceNodes(request, backend, names)) ?? (await runReturning(request, backend, names));
}

/** Computes every value without fusion: by a trace, or with each node as its own program. */
export async function runAlone(request: ValuesRequest, backend: Backend): Promise<Values> {
  const names = definedValues(request.compile.program).map(({ value }) => value);
  return (await traceNodes(request, backend, names)) ?? (await runApart(request, backend));
}

/** Runs the program with `precision: "fast"` and returns the named values. */
export async function runReturning(
  { compile, inputs }: ValuesRequest,
  backend: Backend,
  names: readonly string[],
): Promise<Values> {
  const own = new Set(definedValues(compile.program).map(({ value }) => value));
  const wanted = names.filter((name) => own.has(name));
  const executable = await backend.compile({ ...compile, program: withResults(compile.program, wanted) });
  try {
    const results = await executable.run(inputs);
    return new Map(wanted.map((name, i) => [name, results[i]!]));
  } finally {
    await executable.dispose();
  }
}

/** Returns the values of a trace; undefined where the backend's trace does not include all of them. */
async function traceNodes(
  { compile, inputs }: ValuesRequest,
  backend: Backend,
  names: readonly string[],
): Promise<Values | undefined> {
  // A trace includes nested graphs, whose values may have the same names.
  const nested = nestedNames(compile.program);
  if (names.some((name) => nested.has(name))) return undefined;
  const executable = await backend.compile({ ...compile, precision: "exact" });
  try {
    const wanted = new Set(names);
    const values = new Map<string, Value>();
    await executable.trace?.(inputs, async ({ outputs }) => {
      for (const { name, value } of outputs) if (wanted.has(name)) values.set(name, await copied(value));
    });
    return values.size === wanted.size ? values : undefined;
  } finally {
    await executable.dispose();
  }
}

/** Copies a value, as tensors of a trace are only valid during the callback. */
async function copied(value: Value): Promise<Value> {
  if (typeof value !== "object" || value === null) return value;
  return hostTensor(value.dtype, value.shape, (await value.read()).slice());
}

function nestedNames({ graph }: Program): ReadonlySet<string> {
  const names = new Set<string>();
  walk(graph, (node, within) => {
    if (within !== graph) for (const name of definitionsOf(node)) names.add(name);
  });
  return names;
}

/** Runs each node as its own program, on the results of the nodes before it. */
async function runApart({ compile, inputs }: ValuesRequest, backend: Backend): Promise<Values> {
  const values = new Map<string, Value>();
  operandsOf(compile.program).forEach((name, i) => {
    values.set(name, inputs[i]!);
  });
  for (const [node, results] of byNode(definedValues(compile.program))) {
    const program = nodeProgram(compile.program, node, results);
    const operands = operandsOf(program).map((name) => values.get(name) ?? null);
    const executable = await backend.compile({ ...compile, program });
    try {
      const computed = await executable.run(operands);
      results.forEach((name, i) => {
        values.set(name, computed[i]!);
      });
    } finally {
      await executable.dispose();
    }
  }
  return values;
}

function byNode(definitions: readonly Definition[]): ReadonlyMap<Node, readonly string[]> {
  const names = new Map<Node, string[]>();
  for (const { node, value } of definitions) {
    const known = names.get(node);
    if (known === undefined) names.set(node, [value]);
    else known.push(value);
  }
  return names;
}
