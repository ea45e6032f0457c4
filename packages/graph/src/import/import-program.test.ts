import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import type { Node, Program } from "../ir.ts";
import { printSym } from "../sym/print-expr.ts";

const node = (program: Program, name: string): Node => {
  const found = program.graph.nodes.find((candidate) => candidate.name === name);
  if (found === undefined) throw new Error(`no node ${name}`);
  return found;
};
const arg = (program: Program, name: string, argName: string) =>
  node(program, name).args.find((candidate) => candidate.name === argName)?.arg;

describe("importProgram", () => {
  it.each(FIXTURES)("importProgram types every value of %s", async (path) => {
    const { graph } = await fixture(path);
    const defined = graph.nodes.flatMap(({ outputs }) =>
      outputs.flatMap((o) => (o.kind === "value" ? [o.name] : o.kind === "list" ? o.names : [])),
    );
    const names = [...graph.inputs.filter((name) => name !== null), ...defined];
    expect([...graph.values.keys()].sort()).toEqual([...names].sort());
  });

  it("importProgram reads names, arguments and sizes", async () => {
    const program = await fixture("torch-2.13/dynamic.pt2");
    expect(node(program, "mul").op).toBe("_operator::mul");
    expect(arg(program, "reshape", "shape")).toEqual({
      kind: "list",
      items: [
        { kind: "value", name: "sym_size_int_2" },
        { kind: "value", name: "mul" },
        { kind: "int", value: 4 },
      ],
    });
    const type = program.graph.values.get("reshape");
    expect(type?.kind === "tensor" && type.shape.map(printSym)).toEqual(["s23", "2*s27", "4"]);
    expect(program.ranges.get("s27")).toEqual({ min: 2, max: 128 });
    expect(program.forwardArgs).toEqual(["ids"]);
    expect(program.inputs.map(({ kind }) => kind)).toEqual(["parameter", "parameter", "parameter", "user_input"]);
  });

  it("importProgram keeps exact integers, infinities, dtypes and layouts", async () => {
    const inplace = await fixture("torch-2.13/inplace.pt2");
    expect(arg(inplace, "slice_3", "end")).toEqual({ kind: "int", value: 9223372036854775807n });
    const attention = await fixture("torch-2.13/attention_aten.pt2");
    expect(arg(attention, "scalar_tensor", "s")).toEqual({ kind: "float", value: Number.NEGATIVE_INFINITY });
    expect(arg(attention, "full", "dtype")).toEqual({ kind: "dtype", value: "bool" });
    expect(arg(attention, "full", "layout")).toEqual({ kind: "layout", value: "strided" });
    expect(arg(attention, "clone", "memory_format")).toEqual({ kind: "memory_format", value: "contiguous_format" });
  });

  it("importProgram records the module and Python line of a node", async () => {
    const program = await fixture("torch-2.13/conv.pt2");
    expect(node(program, "conv2d").origin).toEqual({
      modulePath: "c",
      moduleClass: "torch.nn.modules.conv.Conv2d",
      line: "make_fixtures.py:103, in forward",
      code: "x = F.relu(s.n(s.c(x)), inplace=True)",
    });
  });

  it("importProgram imports nested graphs in their own scope", async () => {
    const program = await fixture("torch-2.13/cond.pt2");
    const [, branch] = node(program, "cond").args;
    expect(branch?.arg.kind === "graph" && branch.arg.graph.nodes.map(({ op }) => op)).toEqual([
      "aten::mul.Tensor",
      "aten::add.Tensor",
    ]);
  });

  it("importProgram imports list results", async () => {
    const program = await fixture("torch-2.13/lists.pt2");
    expect(node(program, "chunk").outputs).toEqual([{ kind: "list", names: ["getitem", "getitem_1", "getitem_2"] }]);
  });
});
