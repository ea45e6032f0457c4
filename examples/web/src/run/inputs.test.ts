import { readFileSync } from "node:fs";
import { fromBytes, openArchive } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import { inputsOf, type LeafInfo } from "@pt2/runtime";
import { expect, it } from "vitest";
import { indexLimit } from "./index-limit.ts";
import { type Leaf, randomLeaves } from "./random.ts";
import { freeSizes, usualSizes } from "./sizes.ts";

interface Fixture {
  readonly program: Program;
  readonly inputs: readonly LeafInfo[];
}

async function fixture(name: string): Promise<Fixture> {
  const bytes = readFileSync(new URL(`../../../../tests/fixtures/${name}.pt2`, import.meta.url));
  const archive = await openArchive(fromBytes(bytes));
  const program = importProgram(await archive.program(archive.models[0]));
  return { program, inputs: inputsOf(program) };
}

function shapeOf(leaf: Leaf | undefined): readonly number[] {
  return typeof leaf === "object" && leaf !== null ? leaf.shape : [];
}

function dataOf(leaf: Leaf | undefined): readonly number[] {
  return typeof leaf === "object" && leaf !== null ? Array.from(leaf.data, Number) : [];
}

it("openSizes lists the sizes that the caller chooses", async () => {
  const { program, inputs } = await fixture("torch-2.13/dynamic");
  const sizes = freeSizes(program, inputs);
  expect(sizes.size).toBeGreaterThan(0);
  for (const [name, range] of sizes) expect(program.ranges.get(name)).toEqual(range);
});

it("the initial sizes are ones that the program allows", async () => {
  const { program, inputs } = await fixture("torch-2.13/dynamic");
  const [name] = freeSizes(program, inputs).keys();
  const within = (min: bigint | null, max: bigint | null): number | undefined => {
    const ranges = new Map(program.ranges).set(name!, { min, max });
    return usualSizes({ ...program, ranges }, inputs, null).get(name!);
  };
  expect([within(17n, null), within(17n, 20n), within(null, 3n), within(null, null)]).toEqual([17, 17, 3, 4]);
});

it("generated inputs have the chosen sizes, and are the same for the same seed", async () => {
  const { program, inputs } = await fixture("torch-2.13/dynamic");
  const usual = usualSizes(program, inputs, null);
  const [first, again, other] = [1, 1, 2].map((seed) => randomLeaves(program, inputs, usual, seed));
  expect(first).toHaveLength(inputs.length);
  expect(dataOf(again![0])).toEqual(dataOf(first![0]));
  expect(dataOf(other![0])).not.toEqual(dataOf(first![0]));
});

it("the sizes of the example are used", async () => {
  const { program, inputs } = await fixture("torch-2.13/dynamic");
  const small = randomLeaves(program, inputs, usualSizes(program, inputs, null), 1);
  const larger = new Map([...usualSizes(program, inputs, small)].map(([name, size]) => [name, size + 1]));
  const example = randomLeaves(program, inputs, larger, 1);
  expect(usualSizes(program, inputs, example)).toEqual(larger);
  expect(shapeOf(example[0])).not.toEqual(shapeOf(small[0]));
});

it("generated indices are inside the tables that they look up", async () => {
  const { program, inputs } = await fixture("torch-2.13/dynamic");
  const limit = indexLimit(program, "ids");
  expect(limit).toBeGreaterThan(2);
  const [ids] = randomLeaves(
    program,
    inputs,
    new Map([...freeSizes(program, inputs).keys()].map((name) => [name, 20])),
    1,
  );
  expect(dataOf(ids)).toHaveLength(400);
  expect(Math.max(...dataOf(ids))).toBe(limit - 1);
  expect(Math.min(...dataOf(ids))).toBe(0);
});
