import { readFileSync } from "node:fs";
import { fromBytes, openArchive } from "@pt2/format";
import { importProgram, type Program } from "@pt2/graph";
import { expect, it } from "vitest";
import { GraphState } from "./state.ts";

async function program(path: string): Promise<Program> {
  const archive = await openArchive(fromBytes(readFileSync(new URL(`../../../../${path}`, import.meta.url))));
  return importProgram(await archive.program(archive.models[0]));
}

const boxesOf = ({ drawn }: GraphState): readonly string[] => [...drawn.boxes.values()].map(({ box }) => box.title);

it("the state opens and closes the modules of a network", async () => {
  const state = new GraphState(await program("examples/digits/digits.pt2"), () => 80);
  expect(state.drawn.boxes.size).toBe(15);
  state.closeAll();
  expect(boxesOf(state)).toEqual(["image", "features", "flatten", "linear", "output"]);
  const features = [...state.drawn.boxes.values()][1]!.box;
  const first = state.open(features.id);
  expect(state.drawn.boxes.get(first)?.box.title).toBe("features.0");
  expect(state.groupAround(state.drawn.boxes.get(first)!.box)?.path).toBe("features");
  state.close(features.group!);
  expect(state.drawn.boxes.size).toBe(5);
});

it("the state reveals a node in a closed module", async () => {
  const state = new GraphState(await program("examples/digits/digits.pt2"), () => 80);
  state.closeAll();
  const id = state.reveal("conv2d_1");
  expect(state.drawn.boxes.get(id)?.box.title).toBe("conv2d");
});

it("the drawing shows sizes if the option is on", async () => {
  const state = new GraphState(await program("tests/fixtures/torch-2.13/dynamic.pt2"), () => 80);
  expect(boxesOf(state)).not.toContain("sym_size");
  state.withSizes = true;
  expect(boxesOf(state)).toContain("sym_size");
  state.withSizes = false;
  const { name } = state.graph.nodes.find(({ op }) => op === "aten::sym_size.int")!;
  const id = state.reveal(name);
  expect(state.drawn.boxes.has(id)).toBe(true);
  expect(state.withSizes).toBe(true);
});

it("the state opens nested graphs", async () => {
  const state = new GraphState(await program("tests/fixtures/torch-2.13/cond.pt2"), () => 80);
  expect(boxesOf(state)).toContain("cond");
  const nested = state.graph.nodes.flatMap(({ args }) =>
    args.flatMap(({ arg }) => (arg.kind === "graph" ? arg.graph : [])),
  );
  state.use(nested[0]!);
  expect(state.drawn.boxes.size).toBeGreaterThan(0);
});
