import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import { program } from "../program.test-helper.ts";
import { fromJson } from "./decode-program.ts";
import { toJson } from "./encode-program.ts";
import type { Json } from "./json-types.ts";

const copy = (value: Json): Json => JSON.parse(JSON.stringify(value)) as Json;

describe("a program as JSON", () => {
  it.each(FIXTURES)("a program as JSON round-trips: %s", async (path) => {
    const input = await fixture(path);
    expect(fromJson(copy(toJson(input)))).toEqual(input);
  });

  it("a program as JSON keeps values that JSON lacks", () => {
    const input = program(`range s0 = [0, 9223372036854775807]
      user_input %x: f32[2*s0]{offset=9007199254740993}
      constant_input "k" = complex(nan, -0.0)
      %y: float(0.5*s0) = mylib::f(%x, a=-inf, b=9223372036854775807, c=[none, {"k": device(cuda:1)}])
      return %y`);
    expect(fromJson(copy(toJson(input)))).toEqual(input);
  });

  it.each([
    [{ irVersion: 2 }, "$.irVersion"],
    [null, "$"],
    [{ irVersion: 1 }, "$.dialect"],
    [
      { nodes: [{ name: "a", op: "aten::f", args: [{ name: "x", arg: { kind: "bogus" } }] }] },
      "$.graph.nodes[0].args[0].arg.kind",
    ],
    [{ values: { x: { kind: "tensor", dtype: "float33" } } }, "$.graph.values.x.dtype"],
    [{ outputs: [{ kind: "value", name: "x" }] }, "the JSON document"],
  ] as [Json, string][])("the JSON reader refuses %j", (change, where) => {
    const whole = copy(toJson(program("return"))) as Record<string, Json>;
    const graph = { ...(whole.graph as Record<string, Json>), ...(change as Record<string, Json>) };
    const isRoot = change === null || "irVersion" in (change as Record<string, Json>);
    expect(() => fromJson(isRoot ? change : { ...whole, graph })).toThrow(expect.objectContaining({ where }));
  });
});
