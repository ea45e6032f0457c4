import { type Backend, type CompileRequest, HostTensor, type Value } from "@pt2/backend";
import type { Node } from "@pt2/graph";
import { type Definition, definedValues, nodeProgram, operandsOf, withResults } from "./node-program.ts";
import { qualifyNames } from "./qualified-names.ts";

/** A program with its inputs. */
export interface ValuesRequest {
  readonly compile: Omit<CompileRequest, "precision">;
  /** User inputs that have a value in the graph, in order. */
  readonly inputs: readonly Value[];
}

/** Whether a backend may reorder and fuse. */
export type Precision = NonNullable<CompileRequest["precision"]>;

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

/** Runs the program and returns the named values. */
export async function runReturning(
  { compile, inputs }: ValuesRequest,
  backend: Backend,
  names: Iterable<string>,
  precision: Precision = "fast",
): Promise<Values> {
  const named = new Set(names);
  const wanted = definedValues(compile.program).flatMap(({ value }) => (named.has(value) ? value : []));
  const executable = await backend.compile({ ...compile, precision, program: withResults(compile.program, wanted) });
  try {
    const results = await executable.run(inputs);
    return new Map(wanted.map((name, i) => [name, results[i]!]));
  } finally {
    await executable.dispose();
  }
}

/** Runs the program twice with one executable, and returns what a value is each time. */
export async function runTwice(
  { compile, inputs }: ValuesRequest,
  backend: Backend,
  name: string,
  precision: Precision,
): Promise<readonly Value[]> {
  const executable = await backend.compile({ ...compile, precision, program: withResults(compile.program, [name]) });
  try {
    const [[once = null], [again = null]] = [await executable.run(inputs), await executable.run(inputs)];
    return [once, again];
  } finally {
    await executable.dispose();
  }
}

/** Returns the values of a trace; undefined where the backend's trace does not include all of them. */
async function traceNodes(
  request: ValuesRequest,
  backend: Backend,
  names: readonly string[],
): Promise<Values | undefined> {
  const values = await trace(request, backend, new Set(names));
  return values?.size === new Set(names).size ? values : undefined;
}

/**
 * Returns the named values that a trace includes, nested graphs among them, in order; undefined where the backend has no
 * trace. From the second run of a loop's body on, names have a number: `add#1`. A trace is `exact`: the passes of `fast`
 * may give the result of two nodes the name of the first.
 */
export async function trace(
  { compile, inputs }: ValuesRequest,
  backend: Backend,
  names: ReadonlySet<string>,
): Promise<Values | undefined> {
  // A trace does not tell which graph a node is in, so names have to.
  const program = qualifyNames(compile.program);
  const executable = await backend.compile({ ...compile, program, precision: "exact" });
  try {
    if (executable.trace === undefined) return undefined;
    const values = new Map<string, Value>();
    const turns = new Map<string, number>();
    await executable.trace(inputs, async ({ outputs }) => {
      for (const { name, value } of outputs) {
        const turn = turns.get(name) ?? 0;
        turns.set(name, turn + 1);
        const key = turn === 0 ? name : `${name}#${turn}`;
        if (names.has(key)) values.set(key, await copied(value));
      }
    });
    return values;
  } finally {
    await executable.dispose();
  }
}

/** Copies a value, as tensors of a trace are only valid during the callback. */
async function copied(value: Value): Promise<Value> {
  if (typeof value !== "object" || value === null) return value;
  return new HostTensor(value.dtype, value.shape, (await value.readBytes()).slice());
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
