import { readFile } from "node:fs/promises";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { fromBytes, readSafetensors } from "@pt2/format";
import { orWhyNot } from "@pt2/testing/or-why-not";
import { afterAll, describe, expect, it } from "vitest";
import { type ImageOps, imageOps } from "./image-ops.ts";
import { ImagePrograms } from "./image-programs.ts";
import type { Pixels } from "./pixels.ts";

const backends = {
  wasm: wasm({ worker: false }),
  libtorch: await orWhyNot(libtorch({ threads: 1 })),
  webgpu: await orWhyNot(webgpu()),
};
afterAll(async () => {
  for (const backend of Object.values(backends)) if (typeof backend !== "string") await backend.dispose();
});

const file = await readFile(new URL("image-ops.golden.safetensors", import.meta.url));
const { tensors, metadata } = await readSafetensors(fromBytes(new Uint8Array(file)));
type Resized = readonly [
  height: number,
  width: number,
  down: number,
  across: number,
  antialias: boolean,
  mode: "bilinear" | "bicubic",
];
const resized: readonly Resized[] = JSON.parse(metadata.get("resized")!);
const crops: readonly (readonly [number, number, number, number])[] = JSON.parse(metadata.get("crops")!);
const floats = (name: string): Float32Array => new Float32Array(tensors.get(name)!.bytes.slice().buffer);
const SAMPLES = 24;

/** The formula of `scripts/python/image_goldens.py`. */
function pixels(height: number, width: number): Pixels {
  const data = new Uint8Array(height * width * 3);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      for (let c = 0; c < 3; c++) {
        data[(y * width + x) * 3 + c] = x * 7 + y * 11 + c * 53 + Math.floor(x / 5) * Math.floor(y / 3) * 29;
      }
    }
  }
  return { data, width, height, channels: 3 };
}

/** The largest difference of elements at equal distances from those of torchvision. */
function worst(found: ArrayLike<number>, expected: ArrayLike<number>, at: number): number {
  let most = 0;
  for (let i = 0; i < SAMPLES; i++) {
    const value = found[Math.floor((i * (found.length - 1)) / (SAMPLES - 1))]!;
    most = Math.max(most, Math.abs(value - expected[at * SAMPLES + i]!));
  }
  return most;
}

// Each size is another program, for which a GPU compiles no shader, but a software adapter computes slowly.
const STEPS = { wasm: 1, libtorch: 1, webgpu: 10 };

describe.each(Object.entries(backends))("pictures on %s", (name, backend) => {
  if (typeof backend === "string") return it.skip(`(skipped: ${backend})`);
  const step = STEPS[name as keyof typeof STEPS];
  const chosen = resized
    .map((size, at) => ({ size, at }))
    .filter(({ at }) => at % step === 0 || resized.length === at + 1);
  const programs = new ImagePrograms(backend);
  let ops: ImageOps;
  afterAll(() => Promise.all([ops.dispose(), programs.dispose()]));

  it(`are resized as torchvision does it, to ${chosen.length} random sizes`, { timeout: 300_000 }, async () => {
    ops = await imageOps(backend);
    const [expected, rounded] = [floats("floats"), tensors.get("bytes")!.bytes];
    let [ofFloats, ofBytes] = [0, 0];
    for (const {
      size: [height, width, down, across, antialias, interpolation],
      at,
    } of chosen) {
      const image = await ops.toTensor(pixels(height, width));
      const result = await ops.resize(image, { height: down, width: across }, { antialias, interpolation });
      expect(result.shape).toEqual([1, 3, down, across]);
      ofFloats = Math.max(ofFloats, worst((await result.read()) as Float32Array, expected, at));
      const resample = `upsample_${interpolation}2d` as const;
      const op = antialias ? (`aten::_${resample}_aa` as const) : (`aten::${resample}` as const);
      const picture = await programs.run(image, { resize: { op, size: { height: down, width: across }, bytes: true } });
      const data = (await picture.read()) as Float32Array;
      const bytes = data.map((x) => Math.round(255 * x));
      ofBytes = Math.max(ofBytes, worst(bytes, rounded, at));
      expect(data.every((x) => x >= 0 && x <= 1)).toBe(true);
      for (const tensor of [image, result, picture]) tensor.dispose();
    }
    expect(ofFloats).toBeLessThan(1e-5);
    expect(ofBytes).toBeLessThanOrEqual(1);
  });

  it("are cropped in the middle as torchvision does it, and padded where they are too small", async () => {
    const expected = floats("cropped");
    for (const [at, [height, width, down, across]] of crops.entries()) {
      if (at % step !== 0) continue;
      const result = await ops.centerCrop(await ops.toTensor(pixels(height, width)), { height: down, width: across });
      expect(worst((await result.read()) as Float32Array, expected, at)).toBeLessThan(1e-6);
    }
  });

  it("lie in the middle of a letterbox, on the color that fills it", async () => {
    const image = await ops.toTensor({ data: new Uint8Array(4 * 2 * 3).fill(255), width: 4, height: 2 });
    const boxed = await ops.letterbox(image, { width: 8, height: 8 }, { fill: 0.25 });
    const result = (await boxed.read()) as Float32Array;
    const rows = Array.from({ length: 8 }, (_, y) => result[y * 8]);
    expect(rows).toEqual([0.25, 0.25, 1, 1, 1, 1, 0.25, 0.25]);
  });

  it("of gray have three equal channels, alpha is left out, and values are normalized by channel", async () => {
    const gray = await ops.toTensor({ data: Uint8Array.of(0, 51, 255), width: 3, height: 1 });
    expect(Array.from((await gray.read()) as Float32Array, (x) => Math.round(x * 5))).toEqual([
      0, 1, 5, 0, 1, 5, 0, 1, 5,
    ]);
    const color = await ops.toTensor({ data: Uint8Array.of(51, 102, 153, 7), width: 1, height: 1 });
    const normalized = await ops.normalize(color, [0.2, 0, 0.1], [1, 0.5, 0.25]);
    const normal = (await normalized.read()) as Float32Array;
    expect(normal[0]).toBeCloseTo(0, 5);
    expect(normal[1]).toBeCloseTo(0.8, 5);
    expect(normal[2]).toBeCloseTo(2, 5);
  });
});

it("a bicubic picture of bytes stays between 0 and 1 in each direction", async () => {
  const ops = new ImagePrograms(backends.wasm);
  // Black and white squares of three pixels.
  const data = Uint8Array.from(
    { length: 12 * 9 },
    (_, i) => ((Math.floor(i / 36) + Math.floor((i % 12) / 3)) % 2) * 255,
  );
  const resize = { op: "aten::_upsample_bicubic2d_aa", size: { width: 7, height: 5 }, bytes: true } as const;
  const made = await ops.run({ data, width: 12, height: 9 }, { resize });
  const red = ((await made.read()) as Float32Array).slice(0, 35);
  // What torchvision makes of the bytes; of floats it makes numbers from -48 to 303.
  const expected = [
    [0, 57, 255, 127, 0, 198, 255],
    [82, 104, 173, 127, 82, 151, 173],
    [255, 205, 0, 127, 255, 50, 0],
    [82, 104, 173, 127, 82, 151, 173],
    [0, 57, 255, 127, 0, 198, 255],
  ];
  for (const [i, byte] of expected.flat().entries()) expect(Math.abs(Math.round(255 * red[i]!) - byte)).toBeLessThan(2);
  expect([Math.min(...red), Math.max(...red)]).toEqual([0, 1]);
  await ops.dispose();
});

it("values that are not a picture, a size, a number for each channel or an option are refused", async () => {
  const ops = await imageOps(backends.wasm);
  for (const wrong of [
    { data: new Uint8Array(10), width: 3, height: 1 },
    { data: new Uint8Array(0), width: 0, height: 0 },
    { data: new Uint8Array(6), width: 1.5, height: 4, channels: 1 as const },
    { data: new Float32Array(3), width: 1, height: 1 },
    ...[undefined, null, "picture.png", 5],
  ]) {
    await expect(ops.toTensor(wrong as never)).rejects.toMatchObject({ code: "vision.image" });
  }
  const image = await ops.toTensor({ data: new Uint8Array(12), width: 2, height: 2 });
  const size = { width: 4, height: 4 };
  for (const wrong of [undefined, null, "picture.png", { width: 2, height: 2 }]) {
    for (const call of [
      () => ops.resize(wrong as never, size),
      () => ops.centerCrop(wrong as never, size),
      () => ops.letterbox(wrong as never, size),
      () => ops.normalize(wrong as never, [0.5], [0.5]),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: "vision.image" });
    }
  }
  for (const wrong of [undefined, null, 4, [4, 4], { width: 4 }, { width: 4, height: 0 }, { width: 2.5, height: 4 }]) {
    for (const call of [ops.resize, ops.centerCrop, ops.letterbox]) {
      await expect(call(image, wrong as never)).rejects.toMatchObject({ code: "vision.options" });
    }
  }
  for (const [options, given] of [
    [{ interpolation: "nearest" }, 'interpolation: "nearest"'],
    [{ antialis: false }, "antialis: boolean"],
    [{ antialias: "no" }, 'antialias: "no"'],
  ] as const) {
    const refused = { code: "vision.options", message: expect.stringContaining(`does not take \`{ ${given} }\``) };
    await expect(ops.resize(image, size, options as never)).rejects.toMatchObject(refused);
    await expect(ops.letterbox(image, size, { fill: 0.5, ...options } as never)).rejects.toMatchObject(refused);
  }
  for (const [mean, std] of [
    [undefined, undefined],
    [[0.5], undefined],
    [["a"], [1]],
    [0.5, 1],
    [[0], [Number.NaN]],
  ]) {
    const refused = { code: "vision.options" };
    await expect(ops.normalize(image, mean as never, std as never)).rejects.toMatchObject(refused);
  }
  await ops.dispose();
});
