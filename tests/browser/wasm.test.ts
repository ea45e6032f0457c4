import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { viewAs } from "@pt2/backend";
import { fromBytes, readSafetensors } from "@pt2/format";
import { tensor } from "@pt2/runtime";
import { expect, test } from "vitest";
import { difference, type Leaf } from "../src/difference.ts";
import { fixturePath, readCalls } from "../src/fixture.ts";
import { callInPage, type InPage } from "./in-page.ts";
import { describePage } from "./page.ts";

const DIGITS = new URL("../../examples/digits/", import.meta.url);
const FIXTURES = ["mlp", "conv", "attention", "lstm", "cond", "datadep", "buffers", "dynamic", "inplace", "strides"];

/** The held-out images as the network takes them, and PyTorch's logits. */
async function heldOut(): Promise<{ readonly images: Leaf; readonly logits: Leaf }> {
  const { tensors } = await readSafetensors(fromBytes(readFileSync(new URL("held-out.safetensors", DIGITS))));
  const [images, logits] = [tensors.get("images")!, tensors.get("logits")!];
  const pixels = Float32Array.from(images.bytes, (gray) => gray / 255);
  return {
    images: tensor("float32", [360, 1, 8, 8], pixels),
    logits: tensor("float32", logits.shape, viewAs("float32", logits.bytes)),
  };
}

for (const isolated of [false, true]) {
  describePage(isolated ? "a cross-origin isolated page" : "a page", { isolated }, (ready) => {
    const run = async (where: InPage, input: Leaf): Promise<Leaf> =>
      (await callInPage(ready.page, where, [[input]]))[0]![0]!;

    test("threads may share memory only where the server allows it", async () => {
      expect(await ready.page.evaluate(() => crossOriginIsolated)).toBe(isolated);
    });

    test("a model from an address is read in ranges and gives PyTorch's logits", async () => {
      const { images, logits } = await heldOut();
      const output = await run({ source: "/digits/digits.pt2" }, images);
      expect(difference(output, logits)).toBeNull();
      const asked = ready.site.requests.filter(({ path }) => path === "/digits/digits.pt2");
      expect(new Set(asked.map(({ status }) => status))).toEqual(new Set([206]));
    });

    test("a file of the user, and the calling thread, give the same bytes", async () => {
      const { images } = await heldOut();
      const source = { file: fileURLToPath(new URL("digits.pt2", DIGITS)) };
      const plain = async (where: InPage) => JSON.stringify(await run(where, images));
      const expected = await plain({ source: "/digits/digits.pt2" });
      expect(await plain({ source })).toBe(expected);
      expect(await plain({ source, worker: false })).toBe(expected);
    });

    test.each(isolated ? ["buffers"] : FIXTURES)("%s gives PyTorch's results, call after call", async (name) => {
      const calls = await readCalls(fixturePath(`torch-2.13/${name}`));
      const source = `/fixtures/torch-2.13/${name}.pt2`;
      const answers = await callInPage(
        ready.page,
        { source },
        calls.map(({ inputs }) => inputs),
      );
      const problems = calls.flatMap(({ expected }, call) =>
        expected.map((leaf, i) => difference(answers[call]![i], leaf)),
      );
      expect(problems.filter((problem) => problem !== null)).toEqual([]);
    });

    test("several threads compute a run where they may share memory, and give the bytes of one", async () => {
      const { explained, same } = await ready.page.evaluate(async () => {
        const { load, tensor, wasm } = globalThis.pt2;
        const images = tensor("float32", [512, 1, 8, 8], new Float32Array(512 * 64).fill(0.3));
        const answers: string[] = [];
        let explained = "";
        for (const threads of [1, 3]) {
          const backend = wasm({ threads });
          const model = await load("/digits/digits.pt2", { backend });
          // Helpers start while the first runs compute.
          for (let run = 0; run < 40; run++) {
            const logits = await model.forward(images);
            answers.push((await logits.read()).join());
          }
          explained = (await model.explain()).split("\n")[0]!;
          await backend.dispose();
        }
        return { explained, same: new Set(answers).size === 1 };
      });
      expect(same).toBe(true);
      expect(explained).toContain(isolated ? "; 3 threads" : "; 1 thread: threads share memory only in a page");
    });

    test("eager calls compute in the page, and their results go into a model", async () => {
      const [best, scores] = await ready.page.evaluate(async () => {
        const { eagerOps, load, tensor, wasm } = globalThis.pt2;
        const backend = wasm();
        const { aten } = await eagerOps(backend);
        const pixels = Uint8ClampedArray.from({ length: 4 * 8 * 8 }, (_, i) => (i * 37) % 256);
        const gray = aten.mean(aten.slice(tensor(pixels, { shape: [8, 8, 4] }), -1, 0, 3), [-1], { dtype: "float32" });
        const model = await load("/digits/digits.pt2", { backend });
        const logits = await model.forward(aten.view(aten.div(gray, 255), [1, 1, 8, 8]));
        const [values, classes] = aten.topk(aten.softmax(logits as never, -1), 10);
        const found = [[...(await classes.read())].map(Number), [...(await values.read())]];
        await backend.dispose();
        return found;
      });
      expect([...best!].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
      expect(scores!.reduce((sum: number, share) => sum + Number(share), 0)).toBeCloseTo(1, 5);
    });

    test("consoles show the dtype and the shape of a tensor, and text shows its elements", async () => {
      const client = await ready.page.context().newCDPSession(ready.page);
      await client.send("Runtime.enable");
      const shown: string[] = [];
      client.on("Runtime.consoleAPICalled", ({ args }) => {
        for (const { preview, value } of args) {
          const properties = preview?.properties.map(({ name, value }) => `${name}: ${value}`);
          shown.push(properties?.join(", ") ?? String(value));
        }
      });
      await ready.page.evaluate(async () => {
        const { load, tensor, wasm } = globalThis.pt2;
        const backend = wasm();
        const x = tensor([
          [1, 2],
          [3, 4],
        ]);
        console.log(x);
        console.log(`${x}\n${await load("/digits/digits.pt2", { backend })}`);
        await backend.dispose();
      });
      await expect.poll(() => shown.length).toBe(2);
      expect(shown[0]).toContain("dtype: float32, shape: Array(2), device: host");
      expect(shown[1]).toContain("tensor([[1., 2.],\n        [3., 4.]])\nModel on wasm (\n  input image: float32");
    });

    test("the page's thread is free while a model computes", async () => {
      const done = await ready.page.evaluate(async () => {
        const { load, tensor, wasm } = globalThis.pt2;
        // A message to itself is a task: it comes only if nothing else has the thread.
        const { port1, port2 } = new MessageChannel();
        let tasks = 0;
        port1.onmessage = () => {
          tasks++;
          port2.postMessage(null);
        };
        port2.postMessage(null);
        const images = tensor("float32", [1024, 1, 8, 8], new Float32Array(1024 * 64));
        const done: number[] = [];
        for (const worker of [true, false]) {
          const backend = wasm({ worker });
          const model = await load("/digits/digits.pt2", { backend });
          // The first call may still load code.
          await model.forward(images);
          const before = tasks;
          await model.forward(images);
          done.push(tasks - before);
          await backend.dispose();
        }
        port1.close();
        return done;
      });
      expect(done[0]).toBeGreaterThan(1);
      expect(done[1]).toBe(0);
    });

    test("rules of users' ops are asked for by the worker", async () => {
      const answers = await ready.page.evaluate(async () => {
        const { defineOp, load, scalar, tensor, wasm } = globalThis.pt2;
        const relu = defineOp("aten::relu(Tensor self) -> Tensor", { scalar: (x) => scalar.mul(x, 0.5) });
        const linear = defineOp("aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor", {
          decompose: ({ input, weight }, b) =>
            b.tensor("aten::mm", { self: input, mat2: b.tensor("aten::t", { self: weight }) }),
        });
        const answers: { readonly offThread: boolean; readonly numbers: readonly number[] }[] = [];
        for (const worker of [true, false]) {
          const backend = wasm({ worker });
          const ops = [{ name: "mine", replace: true, ops: [relu, linear] }];
          const model = await load("/digits/digits.pt2", { backend, ops });
          for (const count of [1, 3]) {
            const images = tensor("float32", [count, 1, 8, 8], new Float32Array(count * 64).fill(0.25));
            const logits = await model.forward(images);
            answers.push({ offThread: model.offThread, numbers: Array.from(logits.data as Float32Array) });
          }
          await backend.dispose();
        }
        return answers;
      });
      expect(answers.map(({ offThread }) => offThread)).toEqual([true, true, false, false]);
      expect(answers.slice(0, 2).map(({ numbers }) => numbers)).toEqual(answers.slice(2).map(({ numbers }) => numbers));
    });

    test("an abort cancels the runs that wait for their turn", async () => {
      const outcomes = await ready.page.evaluate(async () => {
        const { load, tensor, wasm } = globalThis.pt2;
        const backend = wasm();
        const model = await load("/digits/digits.pt2", { backend });
        const images = tensor("float32", [1024, 1, 8, 8], new Float32Array(1024 * 64));
        const controller = new AbortController();
        const run = () => model.run({ args: [images] }, { signal: controller.signal });
        const sent = Array.from({ length: 20 }, run);
        await sent[0];
        controller.abort("enough");
        const settled = await Promise.allSettled([sent[0], sent.at(-1), run()]);
        await backend.dispose();
        return settled.map((outcome) => (outcome.status === "rejected" ? outcome.reason : "done"));
      });
      expect(outcomes).toEqual(["done", "enough", "enough"]);
    });

    test("an error crosses the worker with its parts, and the model lives on", async () => {
      const result = await ready.page.evaluate(async () => {
        const { load, Pt2Error, tensor, wasm } = globalThis.pt2;
        const backend = wasm();
        const model = await load("/fixtures/torch-2.13/dynamic.pt2", { backend });
        const failure = await model.forward(tensor("int64", [1, 2], [1, 99])).catch((error: unknown) => error);
        const outputs = await model.runFlat([tensor("int64", [1, 2], [1, 2])]);
        await backend.dispose();
        return { code: failure instanceof Pt2Error ? failure.code : String(failure), outputs: outputs.length };
      });
      expect(result).toEqual({ code: "backend.index-out-of-range", outputs: 3 });
    });

    test("disposing the backend ends the worker", async () => {
      const backend = await ready.page.evaluateHandle(async () => {
        const { load, wasm } = globalThis.pt2;
        const backend = wasm();
        await load("/digits/digits.pt2", { backend });
        return backend;
      });
      await expect.poll(() => ready.page.workers()).toHaveLength(1);
      await backend.evaluate((made) => made.dispose());
      await expect.poll(() => ready.page.workers()).toHaveLength(0);
    });

    test("a worker that cannot start is an error of the load, and the next load starts another", async () => {
      ready.site.refuseNext(/\/worker-[^/]*\.js$/);
      const outcomes = await ready.page.evaluate(async () => {
        const { load, Pt2Error, wasm } = globalThis.pt2;
        const backend = wasm();
        const attempt = (): Promise<string> =>
          load("/digits/digits.pt2", { backend }).then(
            (model) => model.backend,
            (error: unknown) => (error instanceof Pt2Error ? `${error.code}: ${error.what}` : String(error)),
          );
        return [await attempt(), await attempt()];
      });
      expect(outcomes).toEqual(["wasm.worker-failed: The worker that should compute could not be started", "wasm"]);
    });
  });
}
