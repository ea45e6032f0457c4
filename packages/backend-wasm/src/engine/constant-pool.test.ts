import { Constant, type DeviceBuffer, KernelParts, RandomState } from "@pt2/engine";
import { createRegistry } from "@pt2/registry";
import { describe, expect, test } from "vitest";
import { loadKernels } from "../instantiate.ts";
import { packedMatrix, transposed } from "../kernels/matmul/gemm.ts";
import { random } from "../kernels.test-helper.ts";
import { ALONE } from "../threads/team.ts";
import { Heap } from "./heap.ts";
import type { WasmKernel } from "./kernel.ts";
import { ReadAhead } from "./read-ahead.ts";
import type { TensorView } from "./tensor-view.ts";
import { WasmDevice } from "./wasm-device.ts";

const [N, K] = [24, 20];
const weight: Float32Array = random(3).floats(N * K);

/** Makes a device, a weight record [N, K] in it, and counts of reads. */
async function setUp(bytes: Float32Array = weight) {
  const heap = new Heap();
  const device = new WasmDevice({
    heap,
    readAhead: new ReadAhead(),
    kernelTable: new KernelParts<WasmKernel>([]).for(createRegistry({ sets: [] }), "wasm"),
    exact: false,
    random: new RandomState(),
    team: ALONE,
    instantiate: await loadKernels(),
  });
  const counts = { reads: 0 };
  const record = new Constant(device.loader, N * K * 4, "w", {
    inputs: [],
    isRecord: true,
    async produce(address) {
      counts.reads++;
      await Promise.resolve();
      if (bytes.length < N * K) throw new Error("the file ends here");
      heap.f32.set(bytes, address / 4);
    },
  });
  const view: TensorView = { dtype: "float32", shape: [N, K], strides: [K, 1], offset: 0, buffer: record };
  const wanted = new Map<Constant<number>, number>();
  const count = (constant: Constant<number> | null, by: number): void => {
    if (constant !== null) wanted.set(constant, (wanted.get(constant) ?? 0) + by);
  };
  const target = {
    notes: null,
    calls: [],
    add: () => {},
    allocate: () => {
      throw new Error("a constant is packed once, not in each forward");
    },
    reads: ({ constant }: DeviceBuffer<number>) => count(constant, 1),
    unreads: (constant: Constant<number>) => count(constant, -1),
  };
  const pack = () => packedMatrix(device.context(target), transposed(view)).buffer.constant!;
  return { heap, pool: device.constants, loader: device.loader, record, target, pack, counts, wanted };
}

/** Returns panels of eight columns, [K][8] each. */
function panels(): Float32Array {
  return Float32Array.from({ length: N * K }, (_, i) => {
    const [panel, k, column] = [Math.floor(i / (8 * K)), Math.floor(i / 8) % K, i % 8];
    return weight[(panel * 8 + column) * K + k]!;
  });
}

describe("a packed weight", () => {
  test("a packed weight is computed by the first run in the memory of the weight", async () => {
    const { heap, pool, loader, record, pack, counts } = await setUp();
    const packed = pack();
    loader.readAhead([record]);
    await pool.load([packed]);
    expect(record.resident).toBe(false);
    expect(heap.used).toBe(N * K * 4);
    pool.finish();
    expect(heap.f32.slice(packed.handle / 4, packed.handle / 4 + N * K)).toEqual(panels());
    expect(counts.reads).toBe(1);
    pool.release([packed]);
    expect(heap.used).toBe(0);
  });

  test("a packed weight has memory of its own when something else reads the weight", async () => {
    const { heap, pool, record, pack } = await setUp();
    const packed = pack();
    await pool.load([packed, record]);
    expect(heap.f32.slice(record.handle / 4, record.handle / 4 + N * K)).toEqual(weight);
    expect(heap.f32.slice(packed.handle / 4, packed.handle / 4 + N * K)).toEqual(panels());
  });

  test("a plan that reads a packed weight no longer reads the raw weight", async () => {
    const { record, target, pack, wanted } = await setUp();
    target.reads(record);
    const packed = pack();
    expect([...wanted]).toEqual([
      [record, 0],
      [packed, 1],
    ]);
  });

  test("a packed weight that left memory is computed again", async () => {
    const { heap, pool, pack, counts } = await setUp();
    const packed = pack();
    await pool.load([packed]);
    pool.release([packed]);
    await pool.load([packed]);
    pool.finish();
    expect(heap.f32.slice(packed.handle / 4, packed.handle / 4 + N * K)).toEqual(panels());
    expect(counts.reads).toBe(2);
  });
});

test("a record that cannot be read fails the plan and leaves no memory allocated", async () => {
  const { heap, pool, loader, record, pack } = await setUp(new Float32Array(1));
  const packed = pack();
  loader.readAhead([record]);
  await expect(pool.load([packed])).rejects.toThrow("the file ends here");
  expect(heap.used).toBe(0);
});

test("a weight that was read ahead and that no plan needs is freed", async () => {
  const { heap, pool, loader, record } = await setUp();
  loader.readAhead([record]);
  await pool.load([]);
  expect(heap.used).toBe(0);
});
