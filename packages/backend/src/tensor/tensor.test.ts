import { inspect } from "node:util";
import type { DType } from "@pt2/format";
import { describe, expect, expectTypeOf, it } from "vitest";
import { hostTensor } from "./host-tensor.ts";
import { type HostTensor, Tensor } from "./tensor.ts";

const grid = hostTensor("float32", [2, 3], Float32Array.of(1, 2, 3, 4, 5, 6));

/** A tensor on a device that counts what is asked of it. */
class FarTensor extends Tensor<"float16"> {
  readonly bytes = null;
  disposals = 0;

  constructor() {
    super("float16", [2], "moon");
  }

  readBytes(): Promise<Uint8Array> {
    return Promise.resolve(new Uint8Array(Uint16Array.of(0x3c00, 0xc000).buffer));
  }

  dispose(): void {
    this.disposals++;
  }
}

describe("elements", () => {
  it("tolist() and item() give the values of the dtype", () => {
    expect(grid.tolist()).toEqual([
      [1, 2, 3],
      [4, 5, 6],
    ]);
    expect(hostTensor("int64", [2], BigInt64Array.of(1n, -(2n ** 63n))).tolist()).toEqual([1n, -(2n ** 63n)]);
    expect(hostTensor("bool", [1, 2], Uint8Array.of(0, 1)).tolist()).toEqual([[false, true]]);
    expect(hostTensor("complex64", [1], Float32Array.of(1, -2)).tolist()).toEqual([{ re: 1, im: -2 }]);
    expect(hostTensor("bfloat16", [], Uint16Array.of(0xc000)).tolist()).toBe(-2);
    expect(hostTensor("float32", [0, 3], new Float32Array(0)).tolist()).toEqual([]);
    expect(hostTensor("int64", [1, 1], BigInt64Array.of(7n)).item()).toBe(7n);
    expect(() => grid.item()).toThrow(expect.objectContaining({ code: "backend.tensor-shape" }));
  });

  it("toFloat32() converts every real dtype", () => {
    expect(grid.toFloat32()).toBe(grid.data);
    expect(hostTensor("float16", [2], Uint16Array.of(0x3c00, 0x7c00)).toFloat32()).toEqual(
      Float32Array.of(1, Number.POSITIVE_INFINITY),
    );
    expect(hostTensor("int64", [2], BigInt64Array.of(1n, -2n)).toFloat32()).toEqual(Float32Array.of(1, -2));
    expect(hostTensor("bool", [2], Uint8Array.of(1, 0)).toFloat32()).toEqual(Float32Array.of(1, 0));
    expect(() => hostTensor("complex64", [1], Float32Array.of(1, 2)).toFloat32()).toThrow(
      "complex64 tensor has no float32",
    );
  });

  it("data and read() have the array type of the dtype", async () => {
    expectTypeOf(grid.data).toEqualTypeOf<Float32Array>();
    expectTypeOf((await grid.read())[0]! * 2).toEqualTypeOf<number>();
    expectTypeOf(hostTensor("int64", [0], new BigInt64Array(0)).data).toEqualTypeOf<BigInt64Array>();
    expectTypeOf(hostTensor("bfloat16", [0], new Float32Array(0)).data).toEqualTypeOf<Float32Array>();
    expectTypeOf<HostTensor<"float32">>().toExtend<Tensor>();
    expectTypeOf<Tensor>().not.toExtend<Tensor<"float32">>();
    expect(await grid.read()).toBe(grid.data);
    expect(grid.numel).toBe(6);
  });

  it.each<[DType, Float32Array, readonly number[]]>([
    ["float16", Float32Array.of(0.1, 70000), [0.0999755859375, Number.POSITIVE_INFINITY]],
    ["bfloat16", Float32Array.of(0.1, 1e39), [0.10009765625, Number.POSITIVE_INFINITY]],
    ["float8_e4m3fn", Float32Array.of(0.3, -2), [0.3125, -2]],
    ["complex32", Float32Array.of(0.1, -2, 1, 0), [0.0999755859375, -2, 1, 0]],
  ])("a tensor of %s takes and gives numbers", (dtype, given, expected) => {
    const made = hostTensor(dtype, [2], given);
    expect([...made.data]).toEqual(expected);
    expect(hostTensor(dtype, [2], made.data).bytes).toEqual(made.bytes);
  });
});

describe("shapes", () => {
  it("reshape() keeps the memory and infers one size", () => {
    expect(grid.reshape([3, -1]).shape).toEqual([3, 2]);
    expect(grid.reshape([6]).bytes).toBe(grid.bytes);
    expect(hostTensor("float32", [0, 3], new Float32Array(0)).reshape([3, 0]).shape).toEqual([3, 0]);
    for (const shape of [[4], [-1, -1], [0, -1], [1.5, 4], [-2, -3], undefined as unknown as number[]]) {
      expect(() => grid.reshape(shape)).toThrow(expect.objectContaining({ code: "backend.tensor-shape" }));
    }
    const single = hostTensor("float32", [], Float32Array.of(1));
    expect(single.reshape([-1]).shape).toEqual([1]);
    expect(() => single.reshape([-1, -1])).toThrow(expect.objectContaining({ code: "backend.tensor-shape" }));
  });

  it.each([
    [[0, 1], [[4, 5, 6]]],
    [
      [1, 0, 2],
      [
        [1, 2],
        [4, 5],
      ],
    ],
    [
      [-1, -2],
      [
        [2, 3],
        [5, 6],
      ],
    ],
    [
      [1, 0, 3, 2],
      [
        [1, 3],
        [4, 6],
      ],
    ],
    [[0, 5], []],
    [
      [1, -9, 99],
      [
        [1, 2, 3],
        [4, 5, 6],
      ],
    ],
    [
      [1, 2, 1],
      [[], []],
    ],
  ] as const)("slice(%j) takes what aten::slice takes", (args, expected) => {
    expect(grid.slice(...(args as readonly number[])).tolist()).toEqual(expected);
  });

  it("slice() refuses dimensions and steps that are not there", () => {
    for (const args of [[2], [-3], [0, 0, 1, 0], [0, 0, 1, -1], [0, Number.NaN], [0, 0, Number.NaN]] as const) {
      expect(() => grid.slice(...args)).toThrow(expect.objectContaining({ code: "backend.tensor-shape" }));
    }
  });
});

describe("devices", () => {
  it("elements on a device are copied by read() and cpu(), and never without being asked", async () => {
    const far = new FarTensor();
    expect(far.data).toBeNull();
    expect(await far.read()).toEqual(Float32Array.of(1, -2));
    expect((await far.cpu()).tolist()).toEqual([1, -2]);
    for (const use of [() => far.tolist(), () => far.toFloat32(), () => far.reshape([2, 1]), () => far.slice()]) {
      expect(use).toThrow(expect.objectContaining({ code: "backend.device-tensor" }));
    }
    expect(String(far)).toBe("tensor(..., device='moon', size=(2,), dtype=torch.float16)");
  });

  it("`using` disposes a tensor, and a tensor in host memory stays usable", () => {
    const far = new FarTensor();
    {
      using held = far;
      using host = grid;
      expect([held.shape, host.shape]).toEqual([[2], [2, 3]]);
    }
    expect(far.disposals).toBe(1);
    expect(grid.tolist()).toHaveLength(2);
  });
});

describe("printing and copying", () => {
  it("console.log and String show a tensor", () => {
    const one = hostTensor("float32", [1, 2], Float32Array.of(1, 2));
    expect(inspect(one)).toBe("tensor([[1., 2.]])");
    expect(inspect({ one })).toBe("{ one: tensor([[1., 2.]]) }");
    expect(`${one}`).toBe("tensor([[1., 2.]])");
  });

  it("a tensor whose memory was transferred shows and gives no elements", async () => {
    const transferred = (): HostTensor => {
      const data = Float32Array.of(1, 2);
      const tensor = hostTensor("float32", [2], data);
      structuredClone(data.buffer, { transfer: [data.buffer] });
      return tensor;
    };
    const gone = expect.objectContaining({ code: "backend.tensor-memory" });
    const one = transferred();
    for (const use of [
      () => String(one),
      () => one.data,
      () => one.tolist(),
      () => one.reshape([2]),
      () => one.slice(),
    ])
      expect(use).toThrow(gone);
    await expect(one.read()).rejects.toEqual(gone);
    await expect(one.readBytes()).rejects.toEqual(gone);
    const { data } = hostTensor("float32", [2], new Float32Array(2));
    structuredClone(data.buffer, { transfer: [data.buffer] });
    expect(() => hostTensor("float32", [2], data)).toThrow(
      expect.objectContaining({ code: "backend.tensor-data", what: expect.stringContaining("as after a transfer") }),
    );
    expect(hostTensor("float32", [0], new Float32Array(0)).tolist()).toEqual([]);
  });

  it("a tensor crosses to another thread as its members", () => {
    expect(structuredClone(grid)).toEqual({ dtype: "float32", shape: [2, 3], device: "host", bytes: grid.bytes });
  });
});
