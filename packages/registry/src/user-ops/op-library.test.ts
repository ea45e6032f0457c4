import { describe, expect, it } from "vitest";
import { defineOp } from "../op.ts";
import { createRegistry } from "./create-registry.ts";
import { OpLibrary } from "./op-library.ts";

const relu = defineOp("my::relu(Tensor self) -> Tensor", { scalar: (x) => x });
const relu2 = defineOp("my::relu(Tensor self) -> Tensor", { scalar: (x) => x });
const conv = defineOp("my::conv(Tensor self, Tensor weight) -> Tensor");
const set = { name: "my-ops", version: "1.2.0", ops: [relu, conv], kernels: { wasm: [{ ops: ["my::conv"] }] } };
const rewrite = () => undefined;
const duplicate = expect.objectContaining({ code: "registry.duplicate" });

describe("an op library", () => {
  it("lists its ops with their package, version, rule and kernels, and its handlers", () => {
    const library = new OpLibrary();
    library.register(set);
    library.registerConversion("my::conv", rewrite);
    library.registerExecutor("other::*", () => () => []);
    library.register(defineOp("alone::f(Tensor self) -> Tensor", { view: () => null }));
    expect(library.list().map(({ schema: _, ...entry }) => entry)).toEqual([
      { op: "alone::f", package: null, version: null, rule: "view", kernels: [], handler: null },
      { op: "my::conv", package: "my-ops", version: "1.2.0", rule: null, kernels: ["wasm"], handler: "conversion" },
      { op: "my::relu", package: "my-ops", version: "1.2.0", rule: "scalar", kernels: [], handler: null },
      { op: "other::*", package: null, version: null, rule: null, kernels: [], handler: "executor" },
    ]);
    expect(library.list("my::r*").map(({ op }) => op)).toEqual(["my::relu"]);
    expect(library.lookup("torch.ops.my.conv.default")?.schema).toBe("my::conv(Tensor self, Tensor weight) -> Tensor");
    expect([library.has("my::relu"), library.has("my::rell"), library.has("other::*")]).toEqual([true, false, true]);
  });

  it.each([5, undefined, {}, () => relu])("refuses %o, which is nothing to register", (item) => {
    const problem = expect.objectContaining({ code: "registry.rule", advice: expect.stringContaining("defineOp(…)") });
    expect(() => new OpLibrary().register(item as never)).toThrow(problem);
    expect(() => new OpLibrary().replace(item as never)).toThrow(problem);
  });

  it("forgets what is disposed or unregistered, and a load sees what it has then", () => {
    const library = new OpLibrary();
    const ops = (): readonly string[] =>
      createRegistry({ sets: library.ops })
        .list()
        .map(({ op }) => op);
    {
      using _ = library.register(set);
      expect(ops()).toEqual(["my::conv", "my::relu"]);
    }
    expect(ops()).toEqual([]);
    const again = library.register(set);
    expect(library.unregister("my.conv")).toBe(true);
    expect(library.unregister("my::conv")).toBe(false);
    expect(ops()).toEqual(["my::relu"]);
    expect(library.ops[0]?.kernels).toEqual({ wasm: [] });
    library.register(conv);
    expect(ops()).toEqual(["my::conv", "my::relu"]);
    again.dispose();
    again.dispose();
    expect(ops()).toEqual(["my::conv"]);
  });

  it("removes one name of a handler, and keeps the others", () => {
    const library = new OpLibrary();
    library.register({ ops: ["my::relu", "my::c*"], rewrite });
    expect(library.unregister("my::c*")).toBe(true);
    expect(library.handlers.map(({ ops }) => ops)).toEqual([["my::relu"]]);
    library.unregister("my::relu");
    expect(library.handlers).toEqual([]);
  });

  it("refuses an op that it has, and `replace` takes its place until it is disposed", () => {
    const library = new OpLibrary();
    library.register(set);
    expect(() => library.register(relu2)).toThrow(duplicate);
    expect(() => library.register({ name: "other", ops: [relu2] })).toThrow(
      'my::relu is defined twice: by op set "my-ops" of the library and by op set "other" registered now',
    );
    const source = (): string | undefined =>
      createRegistry({ sets: library.ops })
        .list()
        .find(({ op }) => op === "my::relu")?.source;
    const replaced = library.replace({ name: "other", ops: [relu2] });
    expect([source(), library.lookup("my::relu")?.package]).toEqual(["other", "other"]);
    replaced.dispose();
    expect([source(), library.lookup("my::relu")?.package]).toEqual(["my-ops", "my-ops"]);
  });

  it("has children with everything of their parent, whose own ops and handlers take precedence", () => {
    const parent = new OpLibrary();
    const child = parent.child("scope");
    parent.register(set);
    parent.registerConversion("my::*", rewrite);
    child.register(relu2);
    child.registerExecutor("my::*", () => () => []);
    const registry = createRegistry({ sets: child.ops, handlers: child.handlers });
    expect(registry.list().map(({ op, source }) => [op, source])).toEqual([
      ["my::conv", "my-ops"],
      ["my::relu", "scope"],
    ]);
    expect(registry.handlerOf("my::relu")?.compile).toBeDefined();
    expect(parent.handlers).toHaveLength(1);
    expect(child.unregister("my::relu")).toBe(true);
    expect(child.unregister("my::conv")).toBe(false);
    expect(child.lookup("my::relu")?.package).toBe("my-ops");
  });

  it("filters what parts of a set bring on demand", async () => {
    const library = new OpLibrary();
    const part = { ops: /^my::/, load: async () => [relu, conv] };
    library.register({
      name: "lazy",
      ops: [defineOp("my::f(Tensor self) -> Tensor", { scalar: (x) => x })],
      parts: [part],
    });
    library.unregister("my::f");
    const registry = createRegistry({ sets: library.ops });
    await registry.load("all");
    expect(registry.list().map(({ op }) => op)).toEqual(["my::conv", "my::relu"]);
  });
});

describe("the version of op sets", () => {
  it.each([
    [0, "install a newer version of old-ops"],
    [2, "install newer versions of the @pt2 packages"],
  ])("%i is refused", (apiVersion, advice) => {
    const old = { name: "old-ops", version: "0.3.1", apiVersion, ops: [] };
    expect(() => createRegistry({ sets: [old] })).toThrow(
      expect.objectContaining({ code: "registry.api-version", advice }),
    );
  });
});
