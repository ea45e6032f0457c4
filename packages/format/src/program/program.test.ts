import { describe, expect, it } from "vitest";
import { fromBytes } from "../byte-source.ts";
import { fixture, fixtureNames } from "../fixtures.test-helper.ts";
import { openArchive } from "../open-archive.ts";
import { parseProgram } from "./decode-program.ts";
import { formatProgram } from "./encode-program.ts";
import { parseTreeSpec } from "./tree-spec.ts";

const parse = (text: string) => parseProgram(new TextEncoder().encode(text), "models/m.json");

const GRAPH = '{"inputs": [], "outputs": [], "nodes": []}';

/** A program of one node whose arguments are the given JSON. */
function withArguments(args: readonly string[], extra = ""): string {
  const inputs = args.map((arg, index) => `{"name": "a${index}", "arg": ${arg}, "kind": 1}`);
  const node = `{"target": "torch.ops.a.b.default", "inputs": [${inputs}], "outputs": [], "metadata": {}, "future": 1}`;
  return `{"graph_module": {"graph": {"inputs": [], "outputs": [], "nodes": [${node}]},
    "signature": {"input_specs": [], "output_specs": []}, "module_call_graph": []},
    "schema_version": {"major": 8, "minor": 99}${extra}}`;
}

const VARIANTS: readonly [json: string, expected: object][] = [
  ['{"as_none": true}', { kind: "as_none" }],
  ['{"as_tensor": {"name": "x"}}', { kind: "as_tensor", name: "x" }],
  ['{"as_tensors": [{"name": "x"}, {"name": "y"}]}', { kind: "as_tensors", names: ["x", "y"] }],
  ['{"as_int": 9223372036854775807}', { kind: "as_int", value: 9223372036854775807n }],
  ['{"as_int": 27670116110564327418}', { kind: "as_int", value: 27670116110564327418n }],
  ['{"as_ints": [-1, 9007199254740993]}', { kind: "as_ints", values: [-1, 9007199254740993n] }],
  ['{"as_float": 1.0}', { kind: "as_float", value: 1 }],
  ['{"as_float": "-Infinity"}', { kind: "as_float", value: -Infinity }],
  ['{"as_floats": ["NaN", 0.5]}', { kind: "as_floats", values: [Number.NaN, 0.5] }],
  ['{"as_string": "9223372036854775807"}', { kind: "as_string", value: "9223372036854775807" }],
  ['{"as_strings": ["a"]}', { kind: "as_strings", values: ["a"] }],
  ['{"as_sym_int": {"as_name": "s"}}', { kind: "as_sym_int", value: { kind: "as_name", name: "s" } }],
  [
    '{"as_sym_ints": [{"as_name": "s"}, {"as_int": 3}]}',
    {
      kind: "as_sym_ints",
      values: [
        { kind: "as_name", name: "s" },
        { kind: "as_int", value: 3 },
      ],
    },
  ],
  ['{"as_scalar_type": 13}', { kind: "as_scalar_type", dtype: "bfloat16" }],
  ['{"as_memory_format": 2}', { kind: "as_memory_format", memoryFormat: "channels_last" }],
  ['{"as_layout": 7}', { kind: "as_layout", layout: "strided" }],
  ['{"as_device": {"type": "cuda", "index": 1}}', { kind: "as_device", device: { type: "cuda", index: 1 } }],
  ['{"as_bool": false}', { kind: "as_bool", value: false }],
  ['{"as_bools": [true]}', { kind: "as_bools", values: [true] }],
  ['{"as_sym_bool": {"as_bool": true}}', { kind: "as_sym_bool", value: { kind: "as_bool", value: true } }],
  ['{"as_sym_bools": [{"as_name": "b"}]}', { kind: "as_sym_bools", values: [{ kind: "as_name", name: "b" }] }],
  [`{"as_graph": {"name": "g", "graph": ${GRAPH}}}`, { kind: "as_graph", name: "g", graph: { nodes: [] } }],
  [
    '{"as_optional_tensors": [{"as_tensor": {"name": "x"}}, {"as_none": true}]}',
    { kind: "as_optional_tensors", names: ["x", null] },
  ],
  ['{"as_custom_obj": {"name": "o", "class_fqn": "c"}}', { kind: "as_custom_obj", name: "o", classFqn: "c" }],
  ['{"as_operator": "torch.ops.a.b"}', { kind: "as_operator", target: "torch.ops.a.b" }],
  ['{"as_sym_float": {"as_float": 2.0}}', { kind: "as_sym_float", value: { kind: "as_float", value: 2 } }],
  ['{"as_sym_floats": [{"as_name": "f"}]}', { kind: "as_sym_floats", values: [{ kind: "as_name", name: "f" }] }],
  ['{"as_optional_tensor": {"as_none": true}}', { kind: "as_optional_tensor", name: null }],
  ['{"as_complex": {"real": 1.0, "imag": "Infinity"}}', { kind: "as_complex", real: 1, imag: Infinity }],
  ['{"as_nested_tensors": [[{"name": "x"}], []]}', { kind: "as_nested_tensors", names: [["x"], []] }],
  ['{"as_int_lists": [[1], []]}', { kind: "as_int_lists", values: [[1], []] }],
  [
    '{"as_string_to_argument": {"k": {"as_int": 1}}}',
    { kind: "as_string_to_argument", entries: new Map([["k", { kind: "as_int", value: 1 }]]) },
  ],
  ['{"as_float_lists": [[0.5]]}', { kind: "as_float_lists", values: [[0.5]] }],
];

describe("encoding and decoding an argument", () => {
  it.each(VARIANTS)("an argument of a program is decoded and encoded: %s", (json, expected) => {
    const program = parse(withArguments([json]));
    expect(program.graphModule.graph.nodes[0]!.inputs[0]!.arg).toMatchObject(expected);
    const again = parse(formatProgram(program));
    expect(again.graphModule.graph.nodes[0]!.inputs[0]!.arg).toEqual(
      program.graphModule.graph.nodes[0]!.inputs[0]!.arg,
    );
    const compact = (text: string): string => text.replaceAll(/\s/g, "");
    if (!json.includes("graph")) expect(compact(formatProgram(program))).toContain(compact(json));
  });
});

describe("program JSON", () => {
  it.each(fixtureNames().filter((name) => !name.includes("lstm_aten")))(
    "program JSON is the same after writing and reading: %s",
    async (name) => {
      const program = await (await openArchive(fromBytes(fixture(name)))).program();
      const text = formatProgram(program);
      expect(formatProgram(parse(text))).toBe(text);
    },
  );

  it.each([
    ["$.graph_module.graph.nodes[0].inputs[1].arg.as_ints[1]", ['{"as_int": 1}', '{"as_ints": [1, "x"]}']],
    ["$.graph_module.graph.nodes[0].inputs[0].arg", ['{"as_new": 1}']],
    ["$.graph_module.graph.nodes[0].inputs[0].arg.as_scalar_type", ['{"as_scalar_type": 27}']],
    ["$.graph_module.graph.nodes[0].inputs[0].arg.as_int", ['{"as_int": 1.5}']],
  ])("the error of an invalid value names its path: %s", (path, args) => {
    expect(() => parse(withArguments(args))).toThrow(
      expect.objectContaining({ code: "format.program", details: { entry: "models/m.json", path } }),
    );
  });

  it("program JSON is rejected when it nests too deep", () => {
    let nested = '{"as_none": true}';
    for (let depth = 0; depth < 80; depth++) nested = `{"as_string_to_argument": {"k": ${nested}}}`;
    expect(() => parse(withArguments([nested]))).toThrow("nested more than");
  });

  it("program JSON has defaults for fields that older files lack, and ignores fields that newer ones add", () => {
    const program = parse(withArguments([], ', "new_field": {"a": [1]}'));
    expect(program).toMatchObject({ torchVersion: "<=2.4", dialect: "TRAINING", guardsCode: [] });
    expect(program.graphModule.graph.nodes[0]).toMatchObject({ name: null, isHopSingleTensorReturn: null });
  });
});

describe("parsing a tree spec", () => {
  const leaf = '{"type": null, "context": null, "children_spec": []}';
  const tree = (type: string, context: unknown, children = leaf) =>
    parseTreeSpec(
      `[1, {"type": "${type}", "context": ${JSON.stringify(context)}, "children_spec": [${children}]}]`,
      "t",
    );

  it.each([
    ["builtins.tuple", "null", null],
    ["builtins.dict", '["k", 1]', ["k", 1]],
    ["collections.namedtuple", "my.NT", "my.NT"],
    ["collections.defaultdict", { dict_context: ["a"] }, { dict_context: ["a"] }],
    ["my.Dataclass", '[["a", "b"], []]', [["a", "b"], []]],
    ["my.Other", "no JSON", "no JSON"],
  ])("a tree spec decodes %s with context %j", (type, context, expected) => {
    expect(tree(type, context)).toEqual({
      type,
      context: expected,
      children: [{ type: null, context: null, children: [] }],
    });
  });

  it.each(["", "[]", "[2, {}]", "[1, {}]", "[".repeat(200), '[1, {"type": null, "children_spec": 3}]'])(
    "a tree spec rejects %j",
    (text) => {
      expect(() => parseTreeSpec(text, "t")).toThrow(
        expect.objectContaining({ code: expect.stringMatching(/^format\./) }),
      );
    },
  );
});
