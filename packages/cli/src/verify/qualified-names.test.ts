import { openArchive } from "@pt2/format";
import { fromFile } from "@pt2/format/node";
import { assertValid, definitionsOf, importProgram, type Program, walk } from "@pt2/graph";
import { removeNoOps } from "@pt2/graph/passes";
import { expect, it } from "vitest";
import { fixturePath } from "../fixtures.test-helper.ts";
import { qualifyNames } from "./qualified-names.ts";

async function read(name: string): Promise<Program> {
  const archive = await openArchive(await fromFile(fixturePath(`${name}.pt2`)));
  const program = importProgram(await archive.program());
  await archive.close();
  return program;
}

it.each(["torch-2.13/cond", "programs/nested_cond", "programs/while_loop", "torch-2.13/nograd", "programs/scan"])(
  "qualifyNames makes the names of all graphs of %s different, and nothing else",
  async (name) => {
    const program = await read(name);
    const qualified = qualifyNames(program);
    assertValid(qualified);
    const names: string[] = [];
    walk(qualified.graph, (node) => names.push(...definitionsOf(node)));
    expect(new Set(names).size).toBe(names.length);
    expect(qualified.graph.inputs).toEqual(program.graph.inputs);
    expect(qualifyNames(qualified)).toEqual(qualified);
    expect(names.filter((value) => value.includes(".")).length).toBeGreaterThan(0);
  },
);

it("qualifyNames keeps the names where a nested graph becomes a part of the one around it", async () => {
  const { graph } = removeNoOps(qualifyNames(await read("torch-2.13/nograd")));
  expect(graph.nodes.map((node) => node.op)).toEqual(["aten::linear", "aten::sigmoid", "aten::mul.Tensor"]);
  expect(graph.nodes.flatMap(definitionsOf)).toEqual([
    expect.stringMatching(/\.linear$/),
    expect.stringMatching(/\.sigmoid$/),
    "mul",
  ]);
});
