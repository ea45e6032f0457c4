import { describe, expect, it } from "vitest";
import type { OpHandler } from "../handler.ts";
import { HandlerTable } from "./handler-table.ts";

const table = (...handlers: readonly OpHandler[]): HandlerTable => new HandlerTable(handlers, (handler) => handler);
const of = (...ops: readonly string[]): OpHandler => ({ ops, rewrite: () => undefined });

describe("the handler of an op", () => {
  it("is the one with the exact name, then every overload, then the wildcard with the most letters", () => {
    const [exact, every, conv, namespace, all] = [
      of("my::conv.out"),
      of("my::conv.*"),
      of("my::con*"),
      of("my::*"),
      of("*"),
    ];
    const handlers = table(all!, namespace!, conv!, every!, exact!);
    expect(handlers.find("my::conv.out")).toBe(exact);
    expect(handlers.find("my::conv")).toBe(every);
    expect(handlers.find("my::conv2d.padding")).toBe(conv);
    expect(handlers.find("my::relu")).toBe(namespace);
    expect(handlers.find("aten::relu")).toBe(all);
  });

  it("is the later one of two wildcards with as many letters", () => {
    const [first, second] = [of("my::a*"), of("my::*a")];
    expect(table(first!, second!).find("my::aa")).toBe(second);
    expect(table(second!, first!).find("my::aa")).toBe(first);
  });

  it.each([
    ["aten.*", "aten::relu", true],
    ["torch.ops.aten.add*", "aten::add.Tensor", true],
    ["aten::add*.Tensor", "aten::addcmul", false],
    ["aten::*.default", "aten::relu", true],
    ["aten::*.default", "aten::add.Tensor", false],
    ["aten::re", "aten::relu", false],
    ["*", "_operator::mul", false],
    ["*", "higher_order::cond", false],
  ])("%s matches %s: %s", (name, op, matches) => {
    expect(table(of(name)).find(op) !== undefined).toBe(matches);
  });

  it("is refused a second time under one name, unless the later one has `replace`", () => {
    expect(() => table(of("my.*"), of("my::*"))).toThrow("my::* is defined twice: by handler 0 and by handler 1");
    const later = { ...of("my::*"), replace: true };
    expect(table(of("my.*"), later).find("my::f")).toBe(later);
  });
});
