import { Tensor, type Value } from "@pt2/backend";
import { expect, it } from "vitest";
import { RunsInOrder } from "./runs-in-order.ts";
import { tensor } from "./tensor/tensor.ts";

/** A tensor whose elements come later, or never. */
class Late extends Tensor<"float32"> {
  override readonly bytes = null;
  readonly #value: Promise<Tensor>;

  constructor(value: Promise<Tensor>) {
    super("float32", [1], "later");
    this.#value = value;
  }

  override async readBytes(): Promise<Uint8Array> {
    return await (await this.#value).readBytes();
  }

  override computed(): Promise<Tensor<"float32">> {
    return this.#value as Promise<Tensor<"float32">>;
  }

  override dispose(): void {}
}

function recorder(): { readonly log: unknown[]; run(inputs: readonly Value[]): Promise<readonly Value[]> } {
  const log: unknown[] = [];
  return {
    log,
    async run(inputs) {
      log.push((inputs[0] as Tensor & { data: Float32Array }).data[0]);
      return inputs;
    },
  };
}

it("a run whose inputs are there starts at once", () => {
  const { log, run } = recorder();
  void new RunsInOrder().start([tensor([1])], run);
  expect(log).toEqual([1]);
});

it("runs that are called after one that waits for its inputs start after it", async () => {
  const { log, run } = recorder();
  const order = new RunsInOrder();
  let resolve = (_: Tensor): void => {};
  const promise = new Promise<Tensor>((settle) => {
    resolve = settle;
  });
  const runs = [order.start([new Late(promise)], run), order.start([tensor([2])], run)];
  await Promise.resolve();
  expect(log).toEqual([]);
  resolve(tensor([1]));
  runs.push(order.start([tensor([3])], run));
  await Promise.all(runs);
  expect(log).toEqual([1, 2, 3]);
  void order.start([tensor([4])], run);
  expect(log).toEqual([1, 2, 3, 4]);
});

it("a run whose inputs fail does not start, and those after it do", async () => {
  const { log, run } = recorder();
  const order = new RunsInOrder();
  const failed = order.start([new Late(Promise.reject(new RangeError("no such element")))], run);
  const next = order.start([tensor([2])], run);
  await expect(failed).rejects.toThrow("no such element");
  await next;
  expect(log).toEqual([2]);
});

it("a run does not wait for those before it to end", async () => {
  const order = new RunsInOrder();
  let end = (): void => {};
  const ended = new Promise<void>((settle) => {
    end = settle;
  });
  const first = order.start([new Late(Promise.resolve(tensor([1])))], () => ended);
  await order.start([tensor([2])], async () => {});
  end();
  await first;
});
