import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import { color, HEIGHT, PIXELS, resized, WIDTH } from "./picture.ts";
import type {} from "./webgpu/main.ts";

describePage("pictures as tensors", { webgpu: true, app: "tests/browser/webgpu", sources: true }, (ready) => {
  const read = (
    kind: string,
    options: object,
  ): Promise<{ readonly shape: readonly number[]; readonly data: number[] }> =>
    ready.page.evaluate(
      async ({ kind, options, pixels, width, height }) => {
        const backend = await globalThis.gpu.webgpu();
        const data = new ImageData(new Uint8ClampedArray(pixels), width, height);
        const canvas = document.createElement("canvas");
        Object.assign(canvas, { width, height });
        canvas.getContext("2d")!.putImageData(data, 0, 0);
        const source = kind === "bitmap" ? await createImageBitmap(data) : canvas;
        const tensor = await backend.image(source, options as Parameters<typeof backend.image>[1]);
        const result = { shape: tensor.shape, data: Array.from(await tensor.read(), Number) };
        tensor.dispose();
        await backend.dispose();
        return result;
      },
      { kind, options, pixels: PIXELS, width: WIDTH, height: HEIGHT },
    );

  test.each([
    ["as they are", WIDTH, HEIGHT],
    ["smaller", 10, 7],
    ["larger", 64, 50],
    ["wider and lower", 50, 5],
  ])("%s", async (_, width, height) => {
    const { shape, data } = await read("bitmap", { width, height });
    expect(shape).toEqual([1, 3, height, width]);
    const expected = [0, 1, 2].flatMap((channel) => resized(channel, width, height));
    expect(worstError(data, expected, ABSOLUTE)).toBeLessThan(1e-5);
  });

  test("a picture becomes a tensor with mean and deviation, in half precision", async () => {
    const [mean, std] = [
      [0.485, 0.456, 0.406],
      [0.229, 0.224, 0.225],
    ];
    const { data } = await read("canvas", { width: 10, height: 7, mean, std, dtype: "float16" });
    const expected = [0, 1, 2].flatMap((c) => resized(c, 10, 7).map((value) => (value - mean![c]!) / std![c]!));
    expect(worstError(data, expected, ABSOLUTE)).toBeLessThan(3e-3);
  });

  test("a canvas becomes a tensor in gray, as bytes", async () => {
    const { shape, data } = await read("canvas", { width: WIDTH, height: HEIGHT, channels: 1, dtype: "uint8" });
    expect(shape).toEqual([1, 1, HEIGHT, WIDTH]);
    const gray = (i: number): number => {
      const [r, g, b] = color(i % WIDTH, Math.floor(i / WIDTH));
      return 0.299 * r + 0.587 * g + 0.114 * b;
    };
    expect(
      worstError(
        data,
        data.map((_, i) => gray(i)),
        ABSOLUTE,
      ),
    ).toBeLessThan(0.51);
  });

  test("pictures that cannot be tensors are refused", async () => {
    await expect(read("bitmap", { width: 0, height: 7 })).rejects.toThrow("cannot be resized to 0 × 7");
    await expect(read("bitmap", { width: 5, height: 7, mean: [0] })).rejects.toThrow("mean has 1 numbers");
  });

  test("go into a model without leaving the GPU", async () => {
    const scores = await ready.page.evaluate(async (address) => {
      const { load, webgpu } = globalThis.gpu;
      const backend = await webgpu();
      const model = await load(address, { backend });
      const canvas = new OffscreenCanvas(80, 80);
      const context = canvas.getContext("2d")!;
      context.fillStyle = "black";
      context.fillRect(0, 0, 80, 80);
      context.fillStyle = "white";
      context.fillRect(35, 8, 12, 64);
      const image = await backend.image(canvas, { width: 8, height: 8, channels: 1 });
      const logits = await model.forward({ image });
      const scores = Array.from(await logits.read(), Number);
      await backend.dispose();
      return scores;
    }, `${ready.site.url}/digits/digits.pt2`);
    expect(scores.indexOf(Math.max(...scores))).toBe(1);
  });

  test("eager calls resize a picture to the same numbers", async () => {
    const data = await ready.page.evaluate(
      async ({ pixels, width, height }) => {
        const { eagerOps, tensor, webgpu } = globalThis.gpu;
        const backend = await webgpu();
        const { aten } = await eagerOps(backend);
        const picture = tensor(new Uint8ClampedArray(pixels), { shape: [height, width, 4] });
        const rgb = aten.permute(aten.slice(picture, -1, 0, 3), [2, 0, 1]);
        const small = aten._upsample_bilinear2d_aa(aten.unsqueeze(aten.div(rgb, 255), 0), [7, 10], false);
        const data = Array.from(await small.read(), Number);
        await backend.dispose();
        return data;
      },
      { pixels: PIXELS, width: WIDTH, height: HEIGHT },
    );
    const expected = [0, 1, 2].flatMap((channel) => resized(channel, 10, 7));
    expect(worstError(data, expected, ABSOLUTE)).toBeLessThan(1e-5);
  });
});
