import { expect, test } from "vitest";
import { downloaded } from "./downloaded.ts";
import { describePage, type TestPage } from "./page.ts";

interface Budget {
  /** What a page may ask for before it opens a file. */
  readonly before: number;
  /** What it and its workers may have asked for when a convolutional network has answered. */
  readonly after: number;
}

async function measure(ready: TestPage, answer: () => Promise<readonly number[]>, budget: Budget): Promise<void> {
  await ready.page.waitForLoadState("networkidle");
  const before = await downloaded(ready);
  expect(await answer()).toEqual([1, 10]);
  const after = await downloaded(ready);
  console.info(
    `before a file: ${before.bytes} bytes gzipped; with the network's answer: ${after.bytes} bytes in ${after.files} files`,
  );
  expect(before.bytes).toBeLessThan(budget.before);
  expect(after.bytes).toBeLessThan(budget.after);
}

describePage("what a page with WebGPU downloads", { app: "tests/browser/smallest", webgpu: true }, (ready) => {
  test("for a convolutional network on the GPU, and nothing that only others need", async () => {
    const answer = () =>
      ready.page.evaluate(async () => {
        const { load, tensor, webgpu } = globalThis.smallest;
        const model = await load(await (await fetch("digits/digits.pt2")).blob(), { backend: await webgpu() });
        const digit = tensor("float32", [1, 1, 8, 8], new Float32Array(64));
        return (await model.forward<ReturnType<typeof tensor>>(digit)).shape;
      });
    // 5.5 kB of it lower a graph again for other sizes, and record how a plan was made, so that these repeat only what differs.
    // 0.6 kB place what is joined where it belongs, and join what was joined before; 0.8 kB are normalizations behind linear layers,
    // and a module of its own for what these share with normalizations of branches; 0.6 kB refuse numbers that integers lack, know
    // which ops draw numbers, and draw many at once; 0.3 kB tell programs of another default dtype, and equal products of sizes; 0.4 kB
    // say what was probably meant by a misspelled option, and refuse what is no program. 0.4 kB know what PyTorch computes of uint16,
    // uint32 and uint64; 0.1 kB find guards of sizes, and 0.6 kB make them assertions and know dtypes that are computed in float32.
    // 0.4 kB write parts of buffers in place.
    await measure(ready, answer, { before: 53_300, after: 154_400 });
  });
});

describePage("what a page with wasm downloads", { app: "tests/browser/smallest-wasm" }, (ready) => {
  test("for a convolutional network in a worker, and nothing that only others need", async () => {
    const answer = () =>
      ready.page.evaluate(async () => {
        const { load, tensor, wasm } = globalThis.smallestWasm;
        const model = await load(await (await fetch("digits/digits.pt2")).blob(), { backend: wasm() });
        const digit = tensor("float32", [1, 1, 8, 8], new Float32Array(64));
        return (await model.forward<ReturnType<typeof tensor>>(digit)).shape;
      });
    // 1.2 kB of it multiply six rows at a time, half a kB read pictures in strips, 0.6 kB place what is joined, and 1.8 kB are tiles
    // for stride 2, reductions of whole cache lines and groups that threads share; 0.4 kB fetch weights before they are needed, 0.2 kB
    // call threads before inputs are written, and 0.9 kB are normalizations as on the GPU and depthwise convolutions with several outputs;
    // 5 kB are products of float64, integers and complex numbers, and linear layers on weights of int8; 0.8 kB refuse
    // numbers that integers lack, scale complex quotients, and know which ops draw numbers; 1.3 kB are attention of a few queries; 0.3 kB
    // tell programs of another default dtype, and equal products of sizes; 1.1 kB say what was probably meant by a misspelled option, and
    // refuse what is no program, in a file of its own since code that loads on demand needs it too. 0.7 kB compute with uint16, uint32
    // and uint64, and find calls that tokens order or that write to copies. 0.1 kB find guards of sizes, 0.1 kB compute with sizes as
    // Python where that raises, and 0.2 kB know dtypes that are computed in float32. 0.5 kB keep constants of loops in registers: constants
    // that repeat are compressed better. 1.3 kB are guards of every kind, and windows, casts and numbers at the bounds of what ops take. 0.3 kB let runs
    // end before a backend is disposed, and end loads at once that were given up.
    await measure(ready, answer, { before: 63_250, after: 243_700 });
  });
});

describePage("what a page that trains downloads", { app: "tests/browser/smallest-training", webgpu: true }, (ready) => {
  test("for a step of a convolutional network on the GPU", async () => {
    const answer = () =>
      ready.page.evaluate(async () => {
        const { adamW, createTrainer, openProgram, tensor, webgpu } = globalThis.smallestTraining;
        const trainer = await createTrainer(await openProgram(await (await fetch("digits/digits.pt2")).blob()), {
          backend: await webgpu(),
          optimizer: adamW(),
          loss: { loss: "aten::cross_entropy_loss" },
          shapes: { image: [1, 1, 8, 8] },
        });
        const { outputs } = await trainer.train([
          tensor("float32", [1, 1, 8, 8], new Float32Array(64)),
          tensor("int64", [1], [3]),
        ]);
        return (outputs[1] as ReturnType<typeof tensor>).shape;
      });
    // At most 60 kB more than a page that only runs the network; 1 kB of it merge branches, which such a graph may have,
    // 0.7 kB keep track of what is detached where something is written in place, and 1.6 kB are backward ops of training IR; 2.5 kB
    // choose gradients where a product with 0 would be NaN, tell complex numbers from others, and let steps wait for each other;
    // 1 kB are loops over typed arrays in kernels whose results have sizes of their own. 0.9 kB compute gradients of
    // normalizations in float32, add up those of shared heads, bring them back from behind a mask, and update what a program wrote. 0.4 kB are for misspelled
    // options, as above, and name the parts that have ops of prims and of lists. 1 kB write to memory of any strides, and to buffers
    // in branches, and keep the sizes that a call gives a buffer. 0.8 kB are for uint16, uint32 and uint64, and for calls that tokens
    // order or that write to copies, 0.7 kB make guards of sizes assertions, and 0.4 kB write parts of buffers in place.
    await measure(ready, answer, { before: 85_200, after: 221_200 });
  });
});
