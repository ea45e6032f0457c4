import { randomBelow } from "@pt2/testing/random";
import { expect, it } from "vitest";
import type { Graph, Program } from "../../ir.ts";
import { printGraph } from "../../text/print-program.ts";
import { validate } from "../../validate/validate.ts";
import { testEffects } from "./effects.test-helper.ts";
import { functionalize } from "./functionalize.ts";
import { interpret } from "./interpreter.test-helper.ts";
import { randomGraph } from "./random-program.test-helper.ts";
import { dense, elements, type Strided } from "./strided.test-helper.ts";

const EMPTY = { ranges: new Map(), inSpec: null, outSpec: null, namedTuples: new Map(), forwardArgs: [] };

function programOf(graph: Graph): Program {
  return {
    ...EMPTY,
    graph,
    inputs: graph.inputs.map((value) => ({ kind: "user_input", value })),
    outputs: graph.outputs.map(() => ({ kind: "user_output" })),
    dialect: "TRAINING",
    torchVersion: "",
  };
}

const inputs = (): Record<string, Strided> => ({
  x: dense(
    [3, 4],
    Array.from({ length: 12 }, (_, i) => i + 1),
  ),
  y: dense([2, 3], [70, 60, 50, 40, 30, 20]),
});

/** The test compares the results of a program, and its inputs after the run. */
it.each(Array.from({ length: 200 }, (_, seed) => seed))(
  "a functionalized program computes what random program %i computes in place",
  (seed) => {
    const program = programOf(randomGraph(randomBelow(seed), inputs(), 4 + (seed % 12)));
    const written = inputs();
    const expected = interpret(program.graph, written).map(elements);

    const functional = functionalize(program, testEffects);
    const untouched = inputs();
    const results = interpret(functional.graph, untouched).map(elements);

    const shown = `${printGraph(program.graph)}\n${printGraph(functional.graph)}`;
    expect(validate(functional)).toEqual([]);
    const mutations = functional.outputs.flatMap((spec, i) =>
      "target" in spec ? [[spec.target, results[i]!] as const] : [],
    );
    expect(results.slice(mutations.length), shown).toEqual(expected);
    expect({ ...contents(untouched), ...Object.fromEntries(mutations) }, shown).toEqual(contents(written));
    expect(contents(untouched), shown).toEqual(contents(inputs()));
  },
);

function contents(tensors: Readonly<Record<string, Strided>>): Record<string, readonly number[]> {
  return Object.fromEntries(Object.entries(tensors).map(([name, tensor]) => [name, elements(tensor)]));
}
