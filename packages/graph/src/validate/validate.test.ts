import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import { parse, parseGraph } from "../text/parse-program.ts";
import { assertValid, validate } from "./validate.ts";

const codes = (text: string) =>
  validate(text.startsWith("graph") ? parseGraph(text) : parse(text)).map(({ code }) => code);

describe("validate", () => {
  it.each(FIXTURES)("validate finds no problem in %s", async (path) => {
    expect(validate(await fixture(path))).toEqual([]);
  });

  it.each([
    ["graph(%x: f32[1], %x: f32[1]) { return }", "duplicate-definition"],
    ["graph() { a: aten::f() a: aten::g() return }", "duplicate-node"],
    ["graph() { a: aten::f(x=1, x=2) return }", "duplicate-argument"],
    ["graph() { %a: f32[1] = aten::f(%b) %b: f32[1] = aten::g() return }", "undefined-value"],
    ["graph() { return %b }", "undefined-value"],
    ["graph() { %b = aten::f() return }", "untyped-value"],
    ["graph(%x: f32[2]{strides=[2, 1]}) { return }", "rank"],
    ["graph() { a: aten::f.default() return }", "op-name"],
    [
      "graph(%x: f32[1]) { a: higher_order::cond(%x, graph t() { return }, graph f() { return }, [%x]) return }",
      "operands",
    ],
    ["graph(%x: f32[1]) { a: higher_order::f(graph t() { return %x }) return }", "undefined-value"],
    ['program { return 1 -> buffer_mutation "b" }', "signature"],
    ["program { out_spec tuple(*, *) return 1 }", "tree"],
    ["program { in_spec * return }", "tree"],
  ])("validate finds in %s: %s", (text, code) => expect(codes(text)).toContain(code));

  it("validate reports types without a value, and specs without a result", () => {
    const sound = parse("program { user_input %x: f32[1] return %x }");
    const values = new Map([...sound.graph.values, ["y", { kind: "symint", value: null }] as const]);
    expect(validate({ ...sound, graph: { ...sound.graph, values } })[0]?.code).toBe("orphan-type");
    expect(validate({ ...sound, outputs: [] })[0]?.code).toBe("signature");
    expect(validate({ ...sound, inputs: [{ kind: "user_input", value: "z" }] })[0]?.code).toBe("signature");
  });

  it("assertValid throws an error that lists the problems", () => {
    expect(() => assertValid(parseGraph("graph() { return %x }"), "a pass")).toThrow(
      expect.objectContaining({ code: "graph.invalid", where: "a pass" }),
    );
  });
});
