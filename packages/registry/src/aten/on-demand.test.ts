import { Pt2Error } from "@pt2/format";
import { parse } from "@pt2/graph";
import { describe, expect, test } from "vitest";
import type { Builder } from "../builder.ts";
import { Emitter } from "../lower/emit.ts";
import { lower } from "../lower/lower.ts";
import type { LowerTarget } from "../lower/lower-target.ts";
import { loading } from "../not-loaded.ts";
import { defineOp } from "../op.ts";
import type { OpSet } from "../op-set.ts";
import type { TensorMeta } from "../tensor-meta.ts";
import { createRegistry } from "../user-ops/create-registry.ts";
import { aten } from "./aten-ops.ts";
import { atenOnDemand, FREQUENT_OPS } from "./on-demand.ts";
import { argumentsOf, type Row, readRows } from "./op-rows.test-helper.ts";

const whole = createRegistry({ sets: [aten] });
const [{ parts = [] }] = atenOnDemand as [(typeof atenOnDemand)[number]];
/** Of the ops that have decompositions, `cat` has one for some arguments only. */
const isPrimitive = (op: string): boolean => op === "aten::cat" || whole.resolve(op)?.decompose === undefined;
const names = [...new Set(aten.ops.flatMap(({ name, inPlace = [] }) => [name, ...inPlace]))];

/** The parts of the families that are told by name. */
const FAMILIES = [[1, 2], [3], [4], [7], [8], [13]];

/** Returns the parts that are loaded for an op, in their order. */
function askedFor(op: string): readonly number[] {
  return parts.flatMap(({ ops }, at) => (ops.test(op) ? [at] : []));
}

describe("parts", () => {
  test("each op is in one part, which has it under its own and its in-place name", async () => {
    const inParts = (await Promise.all(parts.map(({ load }) => load()))).map(
      (records) => new Set(records.flatMap(({ name, inPlace = [] }) => [name, ...inPlace])),
    );
    expect(inParts.flatMap((part) => [...part]).sort()).toEqual([...names].sort());
    for (const op of names) {
      const home = inParts.findIndex((part) => part.has(op));
      expect(askedFor(op), op).toContain(home);
      // A part that is chosen by name causes no other loads.
      const family = FAMILIES.find((members) => members.includes(askedFor(op).find((at) => at !== 0)!));
      if (family !== undefined) expect(family, op).toContain(home);
    }
  });

  test("what an op resolves to does not depend on when it was loaded", async () => {
    for (const op of names) {
      const registry = createRegistry({ sets: atenOnDemand });
      await registry.load([op]);
      const record = registry.resolve(op);
      expect(record?.schema, op).toEqual(whole.resolve(op)?.schema);
      expect(record?.functional, op).toBe(whole.resolve(op)?.functional);
    }
  });

  test("a classifier's ops are in the first two parts; ops of other namespaces are in none", async () => {
    const registry = createRegistry({ sets: atenOnDemand });
    await registry.load(["aten::conv2d", "aten::relu_", "aten::linear", "my::op", "higher_order::cond"]);
    const loaded = registry.list().map(({ op }) => op);
    expect(loaded).toContain("aten::max_pool2d");
    expect(loaded).not.toContain("aten::scaled_dot_product_attention");
    expect(registry.resolve("my::op")).toBeUndefined();
    expect(registry.resolve("aten::sort")).toBeUndefined();
    expect(registry.isLoaded("aten::sort")).toBe(false);
    await registry.load(["aten::no_such_op"]);
    expect(registry.resolve("aten::no_such_op")).toBeUndefined();
    expect(registry.isLoaded("aten::no_such_op")).toBe(true);
    expect(registry.resolve("aten::sort")?.name).toBe("aten::sort");
  });

  test("each of the frequent ops is in a part of its own", async () => {
    const homes = await Promise.all(parts.map(({ load }) => load()));
    const of = (op: string): number => homes.findIndex((records) => records.some(({ name }) => name === op));
    expect(new Set(FREQUENT_OPS.map(of)).size).toBe(FREQUENT_OPS.length);
    expect(FREQUENT_OPS.map(of)).not.toContain(-1);
  });

  test("ops of PyTorch's modules and of transformers are known", async () => {
    const registry = createRegistry({ sets: atenOnDemand });
    await registry.load(["transformers::grouped_mm_fallback", "torch_nn::_linear_cross_entropy_batch_chunked"]);
    expect(new Set(registry.list().map(({ source }) => source))).toEqual(new Set(["torch_nn", "transformers"]));
  });

  test("a second definition of an op is found although the op was not loaded", async () => {
    const own = defineOp("aten::sort(Tensor self) -> Tensor", { decompose: ({ self }) => self });
    const sets = (replace: boolean) => [...atenOnDemand, { name: "mine", ops: [own], replace }];
    const failed = createRegistry({ sets: sets(false) }).load(["aten::add.Tensor"]);
    await expect(failed).rejects.toMatchObject({ code: "registry.duplicate" });
    const registry = createRegistry({ sets: sets(true) });
    await registry.load(["aten::topk"]);
    expect(registry.resolve("aten::sort")?.schema).toBe(own.schema);
  });
});

describe("lowering with ops on demand", () => {
  const rows = readRows("infer-cases");
  const node = { name: "n", op: "n", args: [], outputs: [], origin: {} };
  const target = { name: "test", isNative: isPrimitive };

  function callsOf(registry: typeof whole, row: Row): readonly string[] | string {
    const emitter = new Emitter(registry, target);
    try {
      emitter.emit(row[0], argumentsOf(row), node);
    } catch (error) {
      if (error instanceof Pt2Error) return `${error.code}: ${error.what}`;
      throw error;
    }
    return emitter.calls.map(({ record, kind }) => `${kind} ${record.name}`);
  }

  test("lowering with ops on demand gives the same calls as with all ops loaded", async () => {
    const late = new Set<string>();
    for (const row of rows) {
      const registry = createRegistry({ sets: atenOnDemand });
      await registry.load([row[0]]);
      let begun = 0;
      const calls = await loading(() => {
        if (begun++ > 0) late.add(row[0]);
        return callsOf(registry, row);
      });
      expect(calls, row[0]).toEqual(callsOf(whole, row));
    }
    expect(late.size).toBeGreaterThan(10);
  });
});

describe("functions of users", () => {
  const { graph } = parse(`program "TRAINING" torch "2.13.0" {
  forward()
  user_input %x: f32[2, 3]
  %y: f32[2, 3] = mine::op(x=%x)
  return %y
}
`);
  const inputs = new Map([["x", { name: "x", dtype: "float32", shape: [2, 3] } as const]]);
  const handlerContext = () => ({ backend: "test", initial: () => undefined });
  const schema = "mine::op(Tensor x) -> Tensor";

  /** Makes a rule that catches every error and does something else, and records what it caught. */
  function distrustful(): { readonly caught: unknown[]; rule(args: { x: TensorMeta }, b: Builder): TensorMeta } {
    const caught: unknown[] = [];
    return {
      caught,
      rule({ x }, b) {
        try {
          const sorted = b.call("aten::sort", { self: b.tensor("aten::softplus", { self: x }) })[0]!;
          const complex = b.tensor("aten::view_as_complex", {
            self: b.tensor("aten::stack", { tensors: [x, x], dim: 2 }),
          });
          return b.tensor("aten::mul.Tensor", { self: sorted, other: b.tensor("aten::abs", { self: complex }) });
        } catch (error) {
          caught.push(error);
          return x;
        }
      },
    };
  }

  const isNative = (op: string): boolean => op !== "mine::op" && isPrimitive(op);

  /** Makes a backend whose kernels load one by one, on their first lookup. */
  function loadingTarget(): LowerTarget {
    const loaded = new Set<string>();
    return {
      name: "test",
      isNative: (op) => (loaded.has(op) ? isNative(op) : null),
      loadKernels: async (op) => void loaded.add(op),
    };
  }

  test.each(["decompose", "rewrite"])("a `%s` that catches everything sees nothing of what loads", async (kind) => {
    const { caught, rule } = distrustful();
    const own: OpSet = { name: "mine", ops: [defineOp(schema, kind === "decompose" ? { decompose: rule } : {})] };
    const handlers = kind === "rewrite" ? [{ ops: ["mine::op"], rewrite: rule as never }] : [];
    const namesWith = async (sets: readonly OpSet[], target: LowerTarget): Promise<readonly string[]> => {
      const registry = createRegistry({ sets: [...sets, own], handlers });
      const { calls } = await lower(graph, inputs, { registry, target, handlerContext });
      return calls.map(({ record }) => record.name);
    };
    const names = await namesWith(atenOnDemand, loadingTarget());
    expect(names).toEqual(await namesWith([aten], { name: "test", isNative }));
    expect(names).toContain("aten::sort.stable");
    expect(caught).toEqual([]);
  });
});
