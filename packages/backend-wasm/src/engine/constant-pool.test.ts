import { describe, expect, test } from "vitest";
import { instantiateKernels } from "../instantiate.ts";
import { packedMatrix, transposed } from "../kernels/matmul/gemm.ts";
import { random } from "../kernels.test-helper.ts";
import { Constant } from "./constant.ts";
import { ConstantPool } from "./constant-pool.ts";
import { Context } from "./context.ts";
import { createElementwise } from "./elementwise.ts";
import { Heap } from "./heap.ts";
import type { Place } from "./place.ts";
import type { Services } from "./services.ts";

const [N, K] = [24, 20];
const weight: Float32Array = random(3).floats(N * K);

/** A pool, a weight record [N, K] in it, and what a plan's sink sees. */
function setUp(bytes: Float32Array = weight) {
  const heap = new Heap();
  const pool = new ConstantPool({
    heap,
    kernels: instantiateKernels(heap.memory),
    exact: false,
    ...createElementwise(heap),
    get constants() {
      return pool;
    },
  } satisfies Services);
  const counts = { reads: 0 };
  const record = new Constant(heap, N * K * 4, {
    inputs: [],
    async produce(address) {
      counts.reads++;
      await Promise.resolve();
      if (bytes.length < N * K) throw new Error("the file ends here");
      heap.f32.set(bytes, address / 4);
    },
  });
  const place: Place = { dtype: "float32", shape: [N, K], strides: [K, 1], offset: 0, buffer: record };
  const wanted = new Map<Constant, number>();
  const count = (constant: Constant | null, by: number): void => {
    if (constant !== null) wanted.set(constant, (wanted.get(constant) ?? 0) + by);
  };
  const services: Services = {
    heap,
    kernels: instantiateKernels(heap.memory),
    exact: false,
    ...createElementwise(heap),
    constants: pool,
  };
  const context = new Context(services, {
    step: () => {},
    scratch: () => {
      throw new Error("a constant is packed once, not in each forward");
    },
    reads: ({ constant }) => count(constant, 1),
    unreads: (constant) => count(constant, -1),
  });
  return { heap, pool, record, place, context, counts, wanted };
}

/** Panels of eight columns, [K][8] each. */
function panels(): Float32Array {
  return Float32Array.from({ length: N * K }, (_, i) => {
    const [panel, k, column] = [Math.floor(i / (8 * K)), Math.floor(i / 8) % K, i % 8];
    return weight[(panel * 8 + column) * K + k]!;
  });
}

describe("a packed weight", () => {
  test("is made where the weight was read to, by the first run, in no more memory", async () => {
    const { heap, pool, record, place, context, counts } = setUp();
    const packed = packedMatrix(context, transposed(place)) as Constant;
    pool.readAhead([record]);
    await pool.settle([packed], () => {});
    expect(record.resident).toBe(false);
    expect(heap.used).toBe(N * K * 4);
    pool.finish();
    expect(heap.f32.slice(packed.address() / 4, packed.address() / 4 + N * K)).toEqual(panels());
    expect(counts.reads).toBe(1);
    pool.release([packed]);
    expect(heap.used).toBe(0);
  });

  test("has memory of its own when something else reads the weight", async () => {
    const { heap, pool, record, place, context } = setUp();
    const packed = packedMatrix(context, transposed(place)) as Constant;
    await pool.settle([packed, record], () => {});
    expect(heap.f32.slice(record.address() / 4, record.address() / 4 + N * K)).toEqual(weight);
    expect(heap.f32.slice(packed.address() / 4, packed.address() / 4 + N * K)).toEqual(panels());
  });

  test("takes back that the plan reads the weight itself", () => {
    const { record, place, context, wanted } = setUp();
    context.sink.reads(record);
    const packed = packedMatrix(context, transposed(place)) as Constant;
    expect([...wanted]).toEqual([
      [record, 0],
      [packed, 1],
    ]);
  });

  test("comes back after it left", async () => {
    const { heap, pool, place, context, counts } = setUp();
    const packed = packedMatrix(context, transposed(place)) as Constant;
    await pool.settle([packed], () => {});
    pool.release([packed]);
    await pool.settle([packed], () => {});
    pool.finish();
    expect(heap.f32.slice(packed.address() / 4, packed.address() / 4 + N * K)).toEqual(panels());
    expect(counts.reads).toBe(2);
  });
});

test("a record that cannot be read fails the plan and leaves nothing", async () => {
  const { heap, pool, record, place, context } = setUp(new Float32Array(1));
  const packed = packedMatrix(context, transposed(place)) as Constant;
  pool.readAhead([record]);
  await expect(pool.settle([packed], () => {})).rejects.toThrow("the file ends here");
  expect(heap.used).toBe(0);
});

test("a weight that was read ahead and that no plan wants is freed", async () => {
  const { heap, pool, record } = setUp();
  pool.readAhead([record]);
  await pool.settle([], () => {});
  expect(heap.used).toBe(0);
});
