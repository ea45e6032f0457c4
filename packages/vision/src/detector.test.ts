import { fileURLToPath } from "node:url";
import { libtorch } from "@pt2/backend-libtorch/node";
import { wasm } from "@pt2/backend-wasm/node";
import { webgpu } from "@pt2/backend-webgpu/node";
import { load } from "@pt2/runtime/node";
import { orWhyNot } from "@pt2/testing/or-why-not";
import sharp from "sharp";
import { afterAll, describe, expect, it } from "vitest";
import { annotateSvg, detector, loadClassifier, loadDetector, type NodeImage, type Pixels } from "./node.ts";

const path = (name: string): string => fileURLToPath(new URL(name, import.meta.url));
const DETECTOR = path("bright-thing.golden.pt2");
const backends = {
  wasm: wasm(),
  libtorch: await orWhyNot(libtorch({ threads: 1 })),
  webgpu: await orWhyNot(webgpu()),
};
afterAll(async () => {
  for (const backend of Object.values(backends)) if (typeof backend !== "string") await backend.dispose();
});

/** A dark picture with a bright rectangle. */
function picture(width: number, height: number, [x1, y1, x2, y2]: readonly number[]): Pixels {
  const data = new Uint8Array(width * height * 3);
  for (let y = y1!; y < y2!; y++) data.fill(255, (y * width + x1!) * 3, (y * width + x2!) * 3);
  return { data, width, height };
}

const preset = (image: object, more: object = {}): object => ({
  version: 1,
  task: "object-detection",
  image,
  labels: ["nothing", "thing"],
  keypoints: ["first", "last"],
  ...more,
});
const SCENE = picture(160, 120, [40, 30, 100, 75]);

describe.each(Object.entries(backends))("a detector on %s", (_, backend) => {
  if (typeof backend === "string") return it.skip(`(skipped: ${backend})`);

  it.each<readonly [string, object]>([
    ["stretched", { height: 96, width: 96, fit: "stretch" }],
    ["stretched without antialiasing", { height: 240, width: 200, fit: "stretch", antialias: false }],
    ["in a letterbox", { height: 96, width: 128, fit: "letterbox", fill: 0 }],
    ["in a letterbox with space at the sides", { height: 90, width: 200, fit: "letterbox", fill: 0.25 }],
    ["cropped", { height: 100, width: 120, fit: "crop", resize: 100 }],
    ["of any size", { shorterSide: 90, longerSide: 200 }],
  ])("finds boxes in pixels of the picture: %s", async (_, image) => {
    await using things = await loadDetector(DETECTOR, { backend, preset: preset(image) });
    const found = await things.detect(SCENE);
    expect(found).toHaveLength(1);
    const [{ box, label, score, index, mask, keypoints }] = found as [(typeof found)[number]];
    expect([label, index, Math.fround(score)]).toEqual(["thing", 1, Math.fround(0.9)]);
    // To a pixel of the program's input, which may be as large as two of the picture.
    for (const [i, side] of [40, 30, 100, 75].entries()) expect(Math.abs(box[i]! - side)).toBeLessThanOrEqual(2);
    expect(keypoints!.map(({ name }) => name)).toEqual(["first", "last"]);
    expect(keypoints!.map(({ x, y }) => [x, y])).toEqual([box.slice(0, 2), box.slice(2)]);
    const columns = Array.from(
      { length: mask!.width },
      (_, x) => mask!.data[Math.floor(mask!.height / 2) * mask!.width + x],
    );
    expect(columns.filter((covered) => covered === 1).length / mask!.width).toBeCloseTo(0.5, 1);
  });

  it("has a threshold, of the preset or of a call, and the surest first", async () => {
    const image = { height: 96, width: 96, fit: "stretch" };
    await using things = await loadDetector(DETECTOR, { backend, preset: preset(image, { threshold: 0.1 }) });
    expect((await things.detect(SCENE)).map(({ label }) => label)).toEqual(["thing", "nothing"]);
    expect(await things.detect(SCENE, { threshold: 0.95 })).toEqual([]);
    await expect(things.detect(SCENE, { threshold: 3 })).rejects.toMatchObject({ code: "vision.options" });
  });

  it("tells the best classes of a picture", async () => {
    const image = { height: 32, width: 32, fit: "crop", resize: 40 };
    const classes = { version: 1, task: "image-classification", image, labels: ["red", "green"] };
    await using colors = await loadClassifier(path("brightest-color.golden.pt2"), { backend, preset: classes });
    const green = { data: new Uint8Array(50 * 40 * 3).map((_, i) => (i % 3 === 1 ? 255 : 51)), width: 50, height: 40 };
    const best = await colors.classify(green, { top: 2 });
    await expect(colors.classify(green, { top: -1 })).rejects.toMatchObject({ code: "vision.options" });
    expect(best.map(({ label, index }) => [label, index])).toEqual([
      ["green", 1],
      ["red", 0],
    ]);
    expect(best[0]!.score).toBeCloseTo(1 / (1 + 2 * Math.exp(-8)), 4);
  });
});

describe("a detector in Node", () => {
  const image = { height: 120, width: 160, fit: "stretch" };
  const open = () => loadDetector(DETECTOR, { backend: backends.wasm, preset: preset(image) });
  const raw = { width: SCENE.width, height: SCENE.height, channels: 3 } as const;

  it("reads files, their bytes and `sharp`, upright", async () => {
    await using things = await open();
    const png = await sharp(SCENE.data, { raw }).png().toBuffer();
    const gray = await sharp(SCENE.data, { raw }).greyscale().png().toBuffer();
    // A photo for which the camera was rotated: its pixels lie on the side.
    const rotated = await sharp(SCENE.data, { raw }).rotate(-90).withMetadata({ orientation: 6 }).png().toBuffer();
    for (const given of [png, gray, rotated, sharp(png)] as readonly NodeImage[]) {
      expect((await things.detect(given)).map(({ box }) => box.map(Math.round))).toEqual([[40, 30, 100, 75]]);
    }
  });

  it("lays what was found over the picture", async () => {
    await using things = await open();
    const found = await things.detect(SCENE);
    const svg = annotateSvg(found, SCENE, { caption: ({ label }) => `<${label}>`, color: () => "#00ff00" });
    expect(svg).toContain("&lt;thing&gt;");
    const drawn = await sharp(SCENE.data, { raw })
      .composite([{ input: Buffer.from(svg) }])
      .removeAlpha()
      .raw()
      .toBuffer();
    const at = (x: number, y: number): readonly number[] => [
      ...drawn.subarray((y * 160 + x) * 3, (y * 160 + x) * 3 + 3),
    ];
    expect(at(70, 75)).toEqual([0, 255, 0]);
    expect(at(130, 100)).toEqual([0, 0, 0]);
  });

  it("looks at one picture after the other, and frees them", async () => {
    await using things = await open();
    let closed = 0;
    const frame = (x: number): Pixels & { close(): void } => ({
      ...picture(160, 120, [x, 30, x + 20, 75]),
      close: () => void closed++,
    });
    async function* camera() {
      for (const x of [10, 50, 90]) yield frame(x);
    }
    const lefts: number[] = [];
    for await (const { found, width, height } of things.stream(camera())) {
      expect([width, height]).toEqual([160, 120]);
      lefts.push(Math.round(found[0]!.box[0]));
    }
    expect(lefts).toEqual([10, 50, 90]);
    expect(closed).toBe(3);
  });

  it("ends a stream with its signal, although the camera goes on", async () => {
    await using things = await open();
    const stop = new AbortController();
    let ended = false;
    async function* camera() {
      try {
        for (;;) yield SCENE;
      } finally {
        ended = true;
      }
    }
    let seen = 0;
    for await (const _ of things.stream(camera(), { signal: stop.signal })) if (++seen === 4) stop.abort();
    expect([seen, ended]).toEqual([4, true]);
    await expect(things.detect(SCENE, { signal: stop.signal })).rejects.toThrow(/abort/i);
    expect(await things.detect(SCENE)).toHaveLength(1);
  });

  it("is disposed when it has found what is in pictures that were given before", async () => {
    const png = await sharp(SCENE.data, { raw }).png().toBuffer();
    const things = await open();
    const found = [things.detect(png), things.detect(SCENE)];
    await things.dispose();
    expect((await Promise.all(found)).map(({ length }) => length)).toEqual([1, 1]);
    await expect(things.detect(SCENE)).rejects.toMatchObject({ code: "vision.disposed" });
  });

  it("keeps no memory over a thousand pictures, also of those that it cannot read", async () => {
    await using model = await load(DETECTOR, { backend: backends.wasm });
    await using things = detector(model, { backend: backends.wasm, preset: preset(image) });
    const look = async (): Promise<void> => {
      await things.detect(SCENE);
      await expect(things.detect({ ...SCENE, width: 7 })).rejects.toMatchObject({ code: "vision.image" });
    };
    for (let i = 0; i < 50; i++) await look();
    const before = await model.memory();
    for (let i = 0; i < 1000; i++) await look();
    expect(await model.memory()).toEqual(before);
  }, 120_000);

  it("refuses presets and pictures with what is wrong with them", async () => {
    const wrong: readonly (readonly [unknown, RegExp])[] = [
      [5, /The preset is not an object/],
      [{ version: 2 }, /version is 2/],
      [preset({ height: 0, width: 5 }), /image.height is 0/],
      [preset({ height: 5, width: 5, fit: "zoom" }), /image.fit is "zoom"/],
      [preset({ height: 5, width: 5, mean: [1] }), /image.mean/],
      [preset(image, { labels: [1] }), /lists of names/],
      [preset(image, { task: "image-classification" }), /for image-classification, not for object-detection/],
    ];
    for (const [given, message] of wrong) {
      const refused = { code: "vision.preset", message: expect.stringMatching(message) };
      await expect(loadDetector(DETECTOR, { backend: backends.wasm, preset: given })).rejects.toMatchObject(refused);
    }
    await expect(loadDetector(DETECTOR, { backend: backends.wasm })).rejects.toMatchObject({ code: "vision.preset" });
    await using things = await open();
    const addresses = [new URL("http://localhost/scene.png"), new URL("file://another/scene.png")];
    for (const given of ["/nowhere.png", Buffer.from("no picture"), new Uint8Array(0), ...addresses, 5 as never]) {
      await expect(things.detect(given)).rejects.toMatchObject({ code: "vision.image" });
    }
    await expect(things.detect("https://localhost/scene.png")).rejects.toMatchObject({
      what: expect.stringContaining("is not the address of a file of this computer"),
    });
    await expect(things.detect({ data: new Float32Array(3), width: 1, height: 1 } as never)).rejects.toMatchObject({
      what: "This cannot be read as a picture: Object",
    });
    const refused = { code: "vision.options" };
    await using model = await load(DETECTOR, { backend: backends.wasm });
    const given = { backend: backends.wasm, preset: preset(image) };
    for (const options of [{ treshold: 0.5 }, { threshold: "0.5" }, { threshold: 2 }] as readonly object[]) {
      await expect(things.detect(SCENE, options)).rejects.toMatchObject(refused);
      expect(() => detector(model, { ...given, ...options })).toThrow(expect.objectContaining(refused));
      await expect(loadDetector(DETECTOR, { ...given, ...options })).rejects.toMatchObject(refused);
    }
    await expect(loadDetector(DETECTOR, undefined as never)).rejects.toMatchObject(refused);
    for (const noModel of [undefined, {}, load(DETECTOR, { backend: backends.wasm })]) {
      expect(() => detector(noModel as never, given)).toThrow(expect.objectContaining(refused));
      await (await (noModel as ReturnType<typeof load> | undefined))?.dispose?.();
    }
    expect(() => annotateSvg([], undefined as never)).toThrow(expect.objectContaining(refused));
    await things.dispose();
    await expect(things.detect(SCENE)).rejects.toMatchObject({ code: "vision.disposed" });
  });
});
