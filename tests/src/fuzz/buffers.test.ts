// Programs that replace their buffers in parts, in other orders, by each other and by what a run was given, against the
// same arithmetic on arrays. Runs that fail are among them.
import { type Backend, type Executable, type HostTensor, hostTensor, type Value } from "@pt2/backend";
import { programOf, registryOf, weightsOf } from "@pt2/conformance";
import { randomBelow } from "@pt2/testing/random";
import { describe, expect, it } from "vitest";
import { testedBackends } from "../backends.ts";

const [ROWS, WIDTH] = [7, 5];
const TYPE = `f32[${ROWS}, ${WIDTH}]`;
const RUNS = 8;

/** What a run is given: `at` has a row for each of `rows`, `places` a row for each element of them. */
interface Given {
  readonly at: readonly number[];
  readonly places: readonly number[];
  readonly rows: readonly number[];
  readonly row: readonly number[];
  readonly full: readonly number[];
  readonly id: number;
}

/** A node: its text, and what it makes of the values before it. */
interface Step {
  readonly text: string;
  compute(x: readonly number[], y: readonly number[], given: Given): number[];
}

const overwritten = (x: readonly number[], change: (out: number[]) => void): number[] => {
  const out = [...x];
  change(out);
  return out;
};
const putRows = (x: readonly number[], rows: readonly number[], at: readonly number[], add = false): number[] =>
  overwritten(x, (out) => {
    for (const [i, to] of at.entries())
      for (let j = 0; j < WIDTH; j++) out[WIDTH * to + j] = rows[WIDTH * i + j]! + (add ? out[WIDTH * to + j]! : 0);
  });

/** The nodes that programs are made of, for operands `X` and `Y`. */
const STEPS: readonly Step[] = [
  {
    text: "aten::index_put(X, indices=[%at], values=%rows)",
    compute: (x, _, { at, rows }) => putRows(x, rows, at),
  },
  {
    text: "aten::index_put(X, indices=[%at], values=%rows, accumulate=true)",
    compute: (x, _, { at, rows }) => putRows(x, rows, at, true),
  },
  {
    text: "aten::index_copy(X, dim=0, index=%at, source=%rows)",
    compute: (x, _, { at, rows }) => putRows(x, rows, at),
  },
  {
    text: "aten::scatter.src(X, dim=0, index=%places, src=%rows)",
    compute: (x, _, { places, rows }) =>
      overwritten(x, (out) => {
        for (const [i, to] of places.entries()) out[WIDTH * to + (i % WIDTH)] = rows[i]!;
      }),
  },
  {
    text: "aten::slice_scatter(X, src=%rows, dim=0, start=0, end=%count)",
    compute: (x, _, { at, rows }) => putRows(x, rows, [...at.keys()]),
  },
  {
    text: "aten::select_scatter(X, src=%row, dim=0, index=4)",
    compute: (x, _, { row }) => putRows(x, row, [4]),
  },
  { text: "aten::maximum(X, other=Y)", compute: (x, y) => x.map((value, i) => Math.max(value, y[i]!)) },
  { text: "aten::clone(X)", compute: (x) => [...x] },
  {
    text: "aten::flip(X, dims=[0])",
    compute: (x) => x.map((_, i) => x[WIDTH * (ROWS - 1 - Math.floor(i / WIDTH)) + (i % WIDTH)]!),
  },
];

/** A program of some nodes, with two buffers. */
class RandomProgram {
  readonly text: string;
  readonly #steps: readonly (readonly [step: Step, x: number, y: number])[];
  readonly #results: readonly [one: number, other: number, read: number, returned: number];

  constructor(below: (count: number) => number) {
    const steps: (readonly [Step, number, number])[] = [];
    // The values are the buffers, what a run is given as a whole, and what the nodes make.
    const any = (): number => below(3 + steps.length);
    for (let count = 1 + below(5); count > 0; count--) {
      const x = below(3) > 0 ? below(2) : any();
      steps.push([STEPS[below(STEPS.length)]!, x, any()]);
    }
    this.#steps = steps;
    this.#results = [any(), any(), any(), any()];
    const [one, other, read, returned] = this.#results.map(nameOf);
    const nodes = steps.map(
      ([{ text }, x, y], i) => `%v${i}: ${TYPE} = ${text.replace("X", nameOf(x)).replace("Y", nameOf(y))}`,
    );
    this.text = `
      buffer "one" = %one: ${TYPE}
      buffer "other" = %other: ${TYPE}
      user_input %at: i64[s0]
      user_input %places: i64[s0, ${WIDTH}]
      user_input %rows: f32[s0, ${WIDTH}]
      user_input %row: f32[${WIDTH}]
      user_input %full: ${TYPE}
      user_input %id: i64[1]
      %count: int = aten::sym_size.int(%at, dim=0)
      ${nodes.join("\n      ")}
      %read: f32[1, ${WIDTH}] = aten::index_select(${read}, dim=0, index=%id)
      return ${one} -> buffer_mutation "one", ${other} -> buffer_mutation "other", %read, ${returned}`;
  }

  /** Returns the new values of the buffers, and the results. */
  compute(one: readonly number[], other: readonly number[], given: Given): readonly (readonly number[])[] {
    const values = [one, other, given.full];
    for (const [step, x, y] of this.#steps) values.push(step.compute(values[x]!, values[y]!, given));
    const [a, b, read, returned] = this.#results.map((at) => values[at]!);
    return [a!, b!, read!.slice(WIDTH * given.id, WIDTH * (given.id + 1)), returned!];
  }
}

function nameOf(value: number): string {
  return ["%one", "%other", "%full"][value] ?? `%v${value - 3}`;
}

function floats(shape: readonly number[], elements: readonly number[]): HostTensor {
  return hostTensor("float32", shape, Float32Array.from(elements));
}

function ints(shape: readonly number[], elements: readonly number[]): HostTensor {
  return hostTensor("int64", shape, BigInt64Array.from(elements, BigInt));
}

async function check(backend: Backend, precision: "exact" | "fast", seed: number): Promise<void> {
  const below = randomBelow(seed);
  const some = (count: number, limit = 1000): readonly number[] => Array.from({ length: count }, () => below(limit));
  const program = new RandomProgram(below);
  let [one, other] = [some(ROWS * WIDTH), some(ROWS * WIDTH)];
  const weights = weightsOf({ one: floats([ROWS, WIDTH], one), other: floats([ROWS, WIDTH], other) });
  const request = { program: programOf(program.text), weights, registry: registryOf(), precision };
  const executable: Executable = await backend.compile(request);
  for (let run = 0; run < RUNS; run++) {
    const count = below(3) === 0 ? 1 + below(3) : 1;
    const fails = below(4) === 0;
    const given: Given = {
      at: some(count, ROWS),
      places: some(count * WIDTH, ROWS),
      rows: some(count * WIDTH),
      row: some(WIDTH),
      full: some(ROWS * WIDTH),
      id: fails ? ROWS + 2 : below(ROWS),
    };
    const inputs: readonly Value[] = [
      ints([count], given.at),
      ints([count, WIDTH], given.places),
      floats([count, WIDTH], given.rows),
      floats([WIDTH], given.row),
      floats([ROWS, WIDTH], given.full),
      ints([1], [given.id]),
    ];
    const where = `seed ${seed}, run ${run}:${program.text}`;
    const running = executable.run(inputs);
    if (fails) await expect(running, where).rejects.toThrow(/index/);
    else {
      const [first, second, ...results] = program.compute(one, other, given);
      [one, other] = [first!, second!];
      const found = await Promise.all(
        ((await running) as readonly HostTensor[]).map(async (result) => Array.from(await result.read(), Number)),
      );
      expect(found, where).toEqual(results);
    }
    // A buffer that no run writes may be left out.
    for (const [name, tensor] of await executable.readState!(["one", "other"]))
      expect(Array.from(tensor.data, Number), where).toEqual(name === "one" ? one : other);
  }
  await executable.dispose();
}

for (const { name, missing, create, precision = "fast" } of await testedBackends()) {
  describe.skipIf(missing !== null)(`buffers on ${name}${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
    it("are what the runs that did not fail have made of them", async () => {
      const backend = await create();
      for (let seed = 0; seed < 120; seed++) await check(backend, precision, seed);
    });
  });
}
