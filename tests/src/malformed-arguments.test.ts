import { readFile } from "node:fs/promises";
import { archiveToBytes, formatProgram, fromBytes, openArchive, parseProgram } from "@pt2/format";
import { load } from "@pt2/runtime/node";
import { describe, expect, it } from "vitest";
import { testedBackends } from "./backends.ts";
import { fixturePath } from "./fixture.ts";

interface NodeInput {
  name: string;
  arg: Readonly<Record<string, unknown>>;
  kind: number;
}

/** Makes the archive of `torch-2.13/conv.pt2` with the arguments of its first node, `conv2d`, changed. */
async function withArguments(change: (inputs: NodeInput[]) => NodeInput[]): Promise<Uint8Array> {
  const archive = await openArchive(fromBytes(new Uint8Array(await readFile(fixturePath("torch-2.13/conv.pt2")))));
  const json = JSON.parse(formatProgram(await archive.program()));
  const [node] = json.graph_module.graph.nodes;
  expect(node.target).toBe("torch.ops.aten.conv2d.default");
  node.inputs = change(node.inputs);
  const program = parseProgram(new TextEncoder().encode(JSON.stringify(json)), "conv");
  const bytes = await archiveToBytes({ models: [{ program, weights: await archive.weights() }] });
  await archive.close();
  return bytes;
}

const replaced =
  (name: string, arg: Readonly<Record<string, unknown>>) =>
  (inputs: NodeInput[]): NodeInput[] =>
    inputs.map((input) => (input.name === name ? { ...input, arg } : input));

const MALFORMED = [
  [
    "an argument that the schema does not have",
    (all: NodeInput[]) => [...all, { name: "dim", arg: { as_int: 1 }, kind: 1 }],
    "argument `dim` is unknown",
  ],
  [
    "an argument under another's name",
    (all: NodeInput[]) => all.map((each) => (each.name === "weight" ? { ...each, name: "filter" } : each)),
    "argument `filter` is unknown",
  ],
  [
    "a required argument that is missing",
    (all: NodeInput[]) => all.filter(({ name }) => name !== "weight"),
    "argument `weight` is missing",
  ],
  ["no arguments", () => [], "argument `input` is missing"],
  ["an argument that is given twice", (all: NodeInput[]) => [...all, all[0]!], "argument `input` is given twice"],
  ["a string where ints belong", replaced("stride", { as_string: "two" }), "argument `stride` is of kind string"],
  [
    "floats where ints belong",
    replaced("padding", { as_floats: [1.5, 1.5] }),
    "argument `padding` has an item that is of kind float",
  ],
  [
    "a number list where a tensor belongs",
    replaced("weight", { as_ints: [1, 2] }),
    "argument `weight` is of kind list",
  ],
  ["nothing where a tensor belongs", replaced("input", { as_none: true }), "argument `input` is None"],
  [
    "a tensor where ints belong",
    replaced("stride", { as_tensor: { name: "x" } }),
    "argument `stride` is of kind tensor",
  ],
  ["too many items", replaced("stride", { as_ints: [2, 2, 2] }), "argument `stride` has 3 items, and must have 2"],
] as const;

const backends = await testedBackends();

describe.each(MALFORMED)("a file with %s", (_, change, what) => {
  for (const { name, missing, create, precision } of backends) {
    it.skipIf(missing !== null)(`a malformed argument is refused before anything is computed: ${name}`, async () => {
      const bytes = await withArguments(change as (inputs: NodeInput[]) => NodeInput[]);
      const loading = load(bytes, { backend: await create(), ...(precision && { precision }) });
      await expect(loading).rejects.toMatchObject({
        code: "registry.argument",
        what: expect.stringContaining(`aten::conv2d: ${what}`),
        where: expect.stringContaining("aten::conv2d %conv2d"),
      });
    });
  }
});

it("the file runs with its own arguments", async () => {
  const model = await load(await withArguments((inputs) => inputs), { backend: await backends[0]!.create() });
  expect(model.inputs).toHaveLength(1);
  await model.dispose();
});
