import { hostTensor, Tensor, watchTensors } from "@pt2/backend";
import { expect, it } from "vitest";

class Remote extends Tensor<"float32"> {
  readonly bytes = null;
  #isDisposed = false;

  constructor(shape: readonly number[]) {
    super("float32", shape, "remote");
  }

  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  async readBytes(): Promise<Uint8Array> {
    return new Uint8Array(4 * this.numel);
  }

  dispose(): void {
    this.#isDisposed = true;
  }
}

function forgetful(): Remote {
  return new Remote([5, 7]);
}

it("lists tensors that are not disposed, with where they were made", () => {
  using watch = watchTensors();
  const kept = [forgetful(), forgetful(), new Remote([3])];
  {
    using gone = forgetful();
    expect(gone.isDisposed).toBe(false);
  }
  hostTensor("float32", [2], Float32Array.of(1, 2));
  expect(watch.live().map(({ dtype, shape, device, isLost }) => ({ dtype, shape, device, isLost }))).toEqual([
    { dtype: "float32", shape: [5, 7], device: "remote", isLost: false },
    { dtype: "float32", shape: [5, 7], device: "remote", isLost: false },
    { dtype: "float32", shape: [3], device: "remote", isLost: false },
  ]);
  expect(watch.live()[0]!.site).toMatch(/^at forgetful .*watch-tensors\.test\.ts:\d+/);
  const [twice, once] = watch.report().split("\n");
  expect(twice).toMatch(/^2 × float32\[5, 7\] on remote, made at forgetful \(/);
  expect(once).toMatch(/^1 × float32\[3\] on remote, made at /);
  for (const tensor of kept) tensor.dispose();
  expect(kept.every(({ isDisposed }) => isDisposed)).toBe(true);
  expect(watch.report()).toBe("no live tensors");
});

it("does not know tensors that were made before or after it", () => {
  const before = forgetful();
  const watch = watchTensors();
  before.dispose();
  watch[Symbol.dispose]();
  const after = forgetful();
  expect(watch.live()).toEqual([]);
  // Without a watch a tensor has the method of its class.
  expect(Object.hasOwn(after, "dispose")).toBe(false);
});

it("two watches see the same tensor", () => {
  using first = watchTensors();
  using second = watchTensors();
  const tensor = forgetful();
  expect([first.live().length, second.live().length]).toEqual([1, 1]);
  tensor.dispose();
  tensor.dispose();
  expect([first.live().length, second.live().length]).toEqual([0, 0]);
  expect(tensor.isDisposed).toBe(true);
});
