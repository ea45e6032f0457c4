import { randomBelow } from "@pt2/testing/random";
import { expect, it } from "vitest";
import type { Addon, NativePlan } from "./addon.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";

const FLOATS = { dtype: "float32", shape: [2, 3], strides: [3, 1], storageOffset: 0 } as const;

const PLAN = {
  device: "cpu",
  graphs: [
    {
      slots: 2,
      inputs: [0],
      nodes: [
        {
          kind: "op",
          op: "aten::neg",
          args: [{ name: "self", arg: { kind: "slot", slot: 0 } }],
          outputs: [1],
        },
      ],
      outputs: [{ kind: "slot", slot: 1 }],
    },
  ],
} as const;

/** One of each native object, live and disposed, and values that are nearly right. */
function garbage(addon: Addon): readonly unknown[] {
  const storage = addon.storage(new Uint8Array(24));
  const tensor = addon.tensor(storage, FLOATS, "cpu");
  const gone = addon.tensor(storage, FLOATS, "cpu");
  gone.dispose();
  const plan = addon.compile(PLAN, [null]);
  const ended = addon.compile(PLAN, [null]);
  ended.dispose();
  const cyclic: unknown[] = [];
  cyclic.push(cyclic);
  const detached = new Uint8Array(8);
  structuredClone(detached, { transfer: [detached.buffer] });
  const throwing = new Proxy(
    {},
    {
      get: () => {
        throw new Error("from a getter");
      },
    },
  );
  return [
    ...[undefined, null, true, 0, -1, 1.5, 2 ** 53, 2 ** 63, Number.NaN, Number.POSITIVE_INFINITY, 1n, 2n ** 64n],
    ...["", "cpu", "cuda:99", "aten::neg", "a\0b", Symbol("s"), () => 1, {}, [], cyclic, [null], [[1]], new Date()],
    ...[new Uint8Array(4), new Float32Array(2), new ArrayBuffer(4), new DataView(new ArrayBuffer(4)), detached],
    ...[storage, tensor, gone, plan, ended, plan.start([tensor], { profile: false }), addon.mapFile("package.json")],
    ...[Object.create(tensor), Object.create(Object.getPrototypeOf(tensor)), new Proxy(tensor, {}), throwing],
    ...[
      FLOATS,
      { ...FLOATS, shape: [-1, 3] },
      { ...FLOATS, strides: [1] },
      { ...FLOATS, storageOffset: 2 ** 52 },
      PLAN,
    ],
    ...[{ re: 1 }, { bytes: 1 }, { bytes: new Uint8Array(3), dtype: "float32", shape: [1] }, { profile: 1 }],
  ];
}

/** Deterministic: a failure can be repeated. */
function picker(seed: number): <T>(from: readonly T[]) => T {
  const below = randomBelow(seed);
  return (from) => from[below(from.length)]!;
}

type Anything = (...args: unknown[]) => unknown;

/** Functions that would change the process for the tests that follow. */
const PROCESS_WIDE: ReadonlySet<string> = new Set(["setThreads", "setConcurrency", "setFlags"]);

/** Calls and awaits; whatever is thrown must be an error with words. */
async function survive(call: () => unknown): Promise<void> {
  try {
    await call();
  } catch (error) {
    expect(error).toBeInstanceOf(Error);
    expect((error as Error).message).not.toBe("");
  }
}

describeWithLibtorch("fuzz test of the native module", ({ addon }) => {
  it("survives any values as arguments of any function", async () => {
    const values = garbage(addon);
    const pick = picker(1);
    for (const [name, call] of Object.entries(addon) as [string, Anything][]) {
      if (PROCESS_WIDE.has(name)) continue;
      for (let round = 0; round < 150; round++) {
        await survive(() => call(...Array.from({ length: pick([0, 1, 2, 3]) }, () => pick(values))));
      }
    }
  });

  it("survives any receiver and any arguments of any method and getter", async () => {
    const values = garbage(addon);
    const pick = picker(2);
    const members = values
      .filter((value) => typeof value === "object" && value !== null && !Array.isArray(value))
      .map((value) => Object.getPrototypeOf(value) as object)
      .filter((prototype) => prototype.constructor.name.startsWith("Native"))
      .flatMap((prototype) => Object.values(Object.getOwnPropertyDescriptors(prototype)))
      .map((member) => (member.get ?? member.value) as Anything)
      .filter((member) => !/^Native/.test(member.name));
    expect(members.length).toBeGreaterThan(15);
    for (const member of members) {
      for (let round = 0; round < 300; round++) {
        const args = Array.from({ length: pick([0, 1, 2]) }, () => pick(values));
        await survive(() => Reflect.apply(member, pick(values), args));
      }
    }
  });

  it("survives plans with any part replaced", async () => {
    const values = garbage(addon);
    const pick = picker(3);
    const damage = (part: unknown): unknown => {
      if (pick([0, 0, 0, 0, 0, 1]) === 1) return pick(values);
      if (Array.isArray(part)) return part.map(damage);
      if (typeof part !== "object" || part === null) return part;
      return Object.fromEntries(Object.entries(part).map(([key, value]) => [key, damage(value)]));
    };
    const tensor = addon.tensor(addon.storage(new Uint8Array(24)), FLOATS, "cpu");
    for (let round = 0; round < 2000; round++) {
      await survive(() => addon.compile(damage(PLAN) as typeof PLAN, [null]).runSync([tensor], { profile: true }));
    }
  });

  it("has no public constructors", () => {
    const tensor = addon.tensor(addon.storage(new Uint8Array(24)), FLOATS, "cpu");
    const plan: NativePlan = addon.compile(PLAN, [null]);
    for (const object of [tensor, plan]) {
      const Class = object.constructor as new () => unknown;
      expect(() => new Class()).toThrow("no public constructor");
      expect(() => Reflect.construct(Class, [], Object)).toThrow("no public constructor");
    }
  });

  it("reads memory that a getter took away as gone", () => {
    const bytes = new Uint8Array(24);
    const shape = [2, 3];
    const input = {
      bytes,
      dtype: "float32",
      get shape() {
        structuredClone(bytes, { transfer: [bytes.buffer] });
        return shape;
      },
    } as const;
    expect(() => addon.compile(PLAN, [null]).runSync([input], { profile: false })).toThrow("bytes");
  });

  it("a higher-order op without its graphs is refused at compile, with its place", () => {
    const [graph] = PLAN.graphs;
    const cond = { kind: "control", op: "higher_order::cond", args: [], outputs: [1] } as const;
    const compile = (): NativePlan => addon.compile({ ...PLAN, graphs: [{ ...graph, nodes: [cond] }] }, [null]);
    expect(compile).toThrow(expect.objectContaining({ code: "libtorch.control", graph: 0, node: 0 }));
  });
});
