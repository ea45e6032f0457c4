import { Pt2Error } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { torchSchemas } from "../schemas.ts";
import { parseSchema } from "./parse.ts";
import { printSchema } from "./print-schema.ts";

const argOf = (text: string) => parseSchema(`t::f(${text}) -> Tensor`).args[0]!;
const codeOf = (text: string): string => {
  try {
    parseSchema(text);
  } catch (error) {
    return error instanceof Pt2Error ? error.code : "other";
  }
  return "none";
};

describe("parseSchema", () => {
  it("parseSchema reads every schema of PyTorch, and printSchema prints it back unchanged", () => {
    const names = torchSchemas.names();
    expect(names.length).toBeGreaterThan(3800);
    const changed = names.filter((name) => printSchema(torchSchemas.schemaOf(name)!) !== torchSchemas.textOf(name));
    expect(changed).toEqual([]);
  });

  it("parseSchema reads names, keyword-only arguments and returns", () => {
    const schema = parseSchema(
      "aten::std.correction(Tensor self, int[1]? dim=None, *, bool keepdim=False) -> (Tensor out, Tensor)",
    );
    expect(schema.name).toBe("aten::std.correction");
    expect(schema.args.map((arg) => [arg.name, arg.kwargOnly])).toEqual([
      ["self", false],
      ["dim", false],
      ["keepdim", true],
    ]);
    expect(schema.returns.map((ret) => ret.name)).toEqual(["out", null]);
    expect(parseSchema("t::f() -> ()").returns).toEqual([]);
    expect(parseSchema("t::f.default(Tensor x) -> Tensor").name).toBe("t::f");
  });

  it("parseSchema reads aliases", () => {
    expect(argOf("Tensor(a -> *) self").alias).toEqual({ sets: ["a"], write: false, after: ["*"] });
    expect(argOf("Tensor(a!)? x=None").alias).toEqual({ sets: ["a"], write: true });
    expect(argOf("Tensor(a!)[] x").type).toEqual({ kind: "list", inner: { kind: "base", base: "Tensor" }, size: null });
    expect(argOf("t[](a!) x").alias).toEqual({ sets: ["a"], write: true, onList: true });
    expect(parseSchema("t::f(Tensor(a) x) -> Tensor(b|a)").returns[0]!.alias?.sets).toEqual(["b", "a"]);
  });

  it.each([
    ["int[2] stride=1", [1, 1]],
    ["SymInt[2] stride=[1, 2]", [1, 2]],
    ["Scalar value=1", 1],
    ["Scalar value=1.", { float: 1 }],
    ["float eps=1e-05", 1e-5],
    ["float x=-inf", Number.NEGATIVE_INFINITY],
    ["float x=nan", Number.NaN],
    ["complex z=1.+2.j", { re: 1, im: 2 }],
    ["int n=9223372036854775807", 9223372036854775807n],
    ["int reduction=Mean", 1],
    ["ScalarType? dtype=4", "int64"],
    ["ScalarType dtype=long", "int64"],
    ["MemoryFormat f=contiguous_format", "contiguous_format"],
    ["MemoryFormat? f=0", "contiguous_format"],
    ["Device? device=None", null],
    ["Device? device=cpu", "cpu"],
    ['str mode="a\\"b, c"', 'a"b, c'],
    ["str mode='it'", "it"],
    ["bool[3] mask=[True, False, True]", [true, false, true]],
    ["int[] empty=[]", []],
  ])("parseSchema reads the default of `%s`", (text, value) => {
    expect(argOf(text).default).toEqual(value);
  });

  it("parseSchema reads custom classes, dicts and tuples", () => {
    expect(argOf("__torch__.torch.classes.my.Thing x").type).toEqual({
      kind: "base",
      base: "__torch__.torch.classes.my.Thing",
    });
    expect(argOf("Dict(str, Tensor) x").type.kind).toBe("dict");
    expect(argOf("(int, int) x").type.kind).toBe("tuple");
  });

  it.each([
    "f(Tensor x) -> Tensor",
    "t::f(Tensor x -> Tensor",
    "t::f(Tensor x)",
    "t::f(Tensor) -> Tensor",
    "t::f(Tensor x, Tensor x) -> Tensor",
    "t::f(Tensor x, *, *, int y) -> Tensor",
    "t::f(int x=None) -> Tensor",
    "t::f(int x=1.5) -> Tensor",
    "t::f(Tensor x=1) -> Tensor",
    "t::f(ScalarType x=banana) -> Tensor",
    "t::f(Tensor x) -> Tensor Tensor Tensor",
    "",
  ])("parseSchema refuses `%s`", (text) => {
    expect(codeOf(text)).toBe("registry.schema");
  });

  it("parseSchema points at the mistake", () => {
    expect(() => parseSchema("my::op(Tensor x, int) -> Tensor")).toThrow(/expected an argument name at column 21/);
  });
});
