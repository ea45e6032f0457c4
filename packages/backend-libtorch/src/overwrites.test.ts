import { type HostTensor, hostTensor, type TraceObserver, type Value } from "@pt2/backend";
import { ints } from "@pt2/conformance";
import { createRegistry, defineOp, type OpHandler, type OpSet } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { expect, it } from "vitest";
import { LibtorchBackend } from "./backend.ts";
import { describeWithLibtorch } from "./libtorch.test-helper.ts";
import { compileBody, elementsOf } from "./programs.test-helper.ts";

const [SLOTS, WIDTH] = [64, 24];
const INPUTS = `buffer "cache" = %cache: f32[${SLOTS}, ${WIDTH}]
  user_input %at: i64[2]
  user_input %rows: f32[2, ${WIDTH}]
  user_input %id: i64[1]`;
/** The last node refuses a wrong index, after the cache was written. */
const READ = `%one: f32[1, ${WIDTH}] = aten::index_select(%w, dim=0, index=%id)`;
const CALLED = `${INPUTS}
  %w: f32[${SLOTS}, ${WIDTH}] = aten::index_copy(%cache, dim=0, index=%at, source=%rows)
  %seen: f32[${SLOTS}, ${WIDTH}] = my::seen(x=%w)
  ${READ}
  return %w -> buffer_mutation "cache", %seen, %one`;

const WRITES = {
  index_copy: `%w: f32[${SLOTS}, ${WIDTH}] = aten::index_copy(%cache, dim=0, index=%at, source=%rows)`,
  index_add: `%w: f32[${SLOTS}, ${WIDTH}] = aten::index_add(%cache, dim=0, index=%at, source=%rows)`,
  index_put: `%w: f32[${SLOTS}, ${WIDTH}] = aten::index_put(%cache, indices=[%at], values=%rows, accumulate=true)`,
  scatter: `%i: i64[2, 1] = aten::unsqueeze(%at, dim=1)
    %j: i64[2, ${WIDTH}] = aten::expand(%i, size=[2, ${WIDTH}])
    %w: f32[${SLOTS}, ${WIDTH}] = aten::scatter.src(%cache, dim=0, index=%j, src=%rows)`,
  "two slices": `%u: f32[${SLOTS}, ${WIDTH}] = aten::slice_scatter(%cache, src=%rows, dim=0, start=3, end=5)
    %s: f32[${WIDTH}] = aten::sum.dim_IntList(%u, dim=[0])
    %w: f32[${SLOTS}, ${WIDTH}] = aten::select_scatter(%u, src=%s, dim=0, index=4)`,
} as const;

const empty = (): HostTensor => hostTensor("float32", [SLOTS, WIDTH], new Float32Array(SLOTS * WIDTH));
const inputs = (i: number, id: number): readonly Value[] => [
  ints([2], (i * 29) % SLOTS, (i * 31 + 7) % SLOTS),
  hostTensor(
    "float32",
    [2, WIDTH],
    Float32Array.from({ length: 2 * WIDTH }, (_, k) => ((i * 7 + k) % 101) / 128),
  ),
  ints([1], id),
];

describeWithLibtorch("overwrites", ({ addon }) => {
  const backend = new LibtorchBackend(addon);

  it.each(Object.entries(WRITES))("%s: runs of which some fail leave what precision exact leaves", async (_, write) => {
    const body = `${INPUTS}\n${write}\n${READ}\nreturn %w -> buffer_mutation "cache", %one, %w`;
    const fast = await compileBody(backend, body, { cache: empty() });
    const exact = await compileBody(backend, body, { cache: empty() }, { precision: "exact" });
    expect(await fast.explain()).toMatch(/aten::(index_copy_|index_add_|index_put_|scatter_.src|copy_)/);
    let first: Value | undefined;
    let before: readonly (number | bigint)[] = [];
    const { weights } = await fast.memory();
    for (let i = 0; i < 200; i++) {
      const given = inputs(i, i % 7 === 3 ? SLOTS + 5 : (i * 13) % SLOTS);
      if (i % 7 === 3) {
        await expect(fast.run(given)).rejects.toThrow(/index/);
        expect(() => fast.runSync(given)).toThrow(/index/);
        continue;
      }
      const [a, b] = [i % 2 === 0 ? await fast.run(given) : fast.runSync(given), await exact.run(given)];
      expect(elementsOf(a[0])).toEqual(elementsOf(b[0]));
      first ??= a[1];
      if (i === 0) before = elementsOf(first);
    }
    const [one, other] = [await fast.readState(["cache"]), await exact.readState(["cache"])];
    expect(elementsOf(one.get("cache"))).toEqual(elementsOf(other.get("cache")));
    // A result is not the buffer, which later runs change.
    expect(elementsOf(first)).toEqual(before);
    expect((await fast.memory()).weights).toBe(weights);
    await fast.dispose();
    await exact.dispose();
  });

  it("a run that ends at JavaScript, in a handler or a trace, leaves the buffer as it was", async () => {
    let seen: () => Promise<void> = async () => {};
    const own: OpSet = { name: "my", ops: [defineOp("my::seen(Tensor x) -> Tensor", { infer: ({ x }) => x! })] };
    const handler: OpHandler = {
      ops: ["my::seen"],
      compile:
        () =>
        async ({ args, call }) => {
          await seen();
          return call("aten::neg", { self: args.x! });
        },
    };
    const registry = createRegistry({ sets: [aten, own], handlers: [handler] });
    const model = await compileBody(backend, CALLED, { cache: empty() }, { registry });
    const cache = async (): Promise<unknown> => elementsOf((await model.readState(["cache"])).get("cache"));
    await model.run(inputs(1, 0));
    const before = await cache();
    seen = () => Promise.reject(new Error("The handler fails."));
    await expect(model.run(inputs(2, 0))).rejects.toThrow("The handler fails.");
    expect(await cache()).toEqual(before);
    const controller = new AbortController();
    seen = async () => controller.abort(new Error("enough"));
    await expect(model.run(inputs(3, 0), { signal: controller.signal })).rejects.toThrow("enough");
    expect(await cache()).toEqual(before);
    seen = async () => {};
    const fail: TraceObserver = ({ node }) => {
      if (node === "seen") throw new Error("The observer fails.");
    };
    await expect(model.trace(inputs(4, 0), fail)).rejects.toThrow("The observer fails.");
    expect(await cache()).toEqual(before);
    await model.trace(inputs(5, 0), () => {});
    expect(await cache()).not.toEqual(before);
    await model.dispose();
  });
});
