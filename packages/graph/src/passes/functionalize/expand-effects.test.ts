import { expect, it } from "vitest";
import { parse } from "../../text/parse-program.ts";
import { print } from "../../text/print-program.ts";
import { expandEffects } from "./expand-effects.ts";

const program = parse(`program {
  token %token: f32[0]
  user_input %x: f32[3]
  first: %t1: f32[0], none = higher_order::with_effects(%token, &aten::_print, "on")
  second: %t2: f32[0], %y: f32[3] = higher_order::with_effects(%t1, &mine::log, %x, level=2)
  return %t2 -> token, %y
}`);

it("calls ops in their order, without tokens", async () => {
  const schemas = {
    load: async () => {},
    resolve: (op: string) => ({ schema: { args: [{ name: op === "mine::log" ? "self" : "s" }, { name: "level" }] } }),
  };
  expect(print(await expandEffects(program, schemas)).trim()).toBe(
    print(
      parse(`program {
  user_input %x: f32[3]
  first: aten::_print(s="on")
  second: %y: f32[3] = mine::log(self=%x, level=2)
  return %y
}`),
    ).trim(),
  );
});

it("leaves ops that are unknown", async () => {
  const { graph } = await expandEffects(program, { load: async () => {}, resolve: () => undefined });
  expect(graph.nodes.map(({ op }) => op)).toEqual(["higher_order::with_effects", "higher_order::with_effects"]);
});
