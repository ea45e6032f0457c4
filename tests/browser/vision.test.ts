import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import type {} from "./vision/main.ts";

const APP = "tests/browser/vision";
const PROGRAM = readFileSync(new URL("../../packages/vision/src/bright-thing.golden.pt2", import.meta.url));
const PRESET = {
  version: 1,
  task: "object-detection",
  image: { height: 96, width: 96, fit: "letterbox", fill: 0 },
  labels: ["nothing", "thing"],
};

/** A dark picture of 160 × 120 pixels with a bright rectangle. */
const BRIGHT = [40, 30, 100, 75] as const;

const STILL = ["ImageBitmap", "canvas", "OffscreenCanvas", "ImageData", "img", "Blob", "raw pixels"] as const;
const MOVING = ["VideoFrame", "video"] as const;

/** The page has the program, its preset and the picture as a file at addresses. */
async function serve(page: Page): Promise<void> {
  const png = await page.evaluate(async ([x1, y1, x2, y2]) => {
    const canvas = new OffscreenCanvas(160, 120);
    const context = canvas.getContext("2d")!;
    context.fillRect(0, 0, 160, 120);
    context.fillStyle = "white";
    context.fillRect(x1, y1, x2 - x1, y2 - y1);
    return Array.from(new Uint8Array(await (await canvas.convertToBlob()).arrayBuffer()));
  }, BRIGHT);
  await page.route("**/bright.png", (route) => route.fulfill({ body: Buffer.from(png), contentType: "image/png" }));
  await page.route("**/bright.pt2", (route) => route.fulfill({ body: PROGRAM, contentType: "application/zip" }));
  await page.route("**/bright.json", (route) => route.fulfill({ json: PRESET }));
}

for (const name of ["wasm", "webgpu"] as const) {
  describePage(`pictures of a page, on ${name}`, { webgpu: name === "webgpu", app: APP, sources: true }, (ready) => {
    test.each([...STILL, ...MOVING])("things are found in pixels of a picture: %s", async (kind) => {
      await serve(ready.page);
      const found = await ready.page.evaluate(
        async ({ name, kind, bright: [x1, y1, x2, y2] }) => {
          const { loadDetector } = globalThis.vision;
          const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
          const context = canvas.getContext("2d")!;
          const paint = (): void => {
            context.fillStyle = "black";
            context.fillRect(0, 0, 160, 120);
            context.fillStyle = "white";
            context.fillRect(x1, y1, x2 - x1, y2 - y1);
          };
          paint();
          const ends: (() => void)[] = [];
          type Image = Parameters<Awaited<ReturnType<typeof loadDetector>>["detect"]>[0];
          const sources: Record<string, () => Promise<Image>> = {
            ImageBitmap: () => createImageBitmap(canvas),
            canvas: async () => canvas,
            OffscreenCanvas: async () => {
              const offscreen = new OffscreenCanvas(160, 120);
              offscreen.getContext("2d")!.drawImage(canvas, 0, 0);
              return offscreen;
            },
            ImageData: async () => context.getImageData(0, 0, 160, 120),
            img: async () => {
              const image = Object.assign(new Image(), { src: "/bright.png" });
              await image.decode();
              return image;
            },
            Blob: async () => (await fetch("/bright.png")).blob(),
            "raw pixels": async () => {
              const { data } = context.getImageData(0, 0, 160, 120);
              return { data: data.filter((_, i) => i % 4 < 3), width: 160, height: 120, channels: 3 };
            },
            VideoFrame: async () => {
              const frame = new VideoFrame(canvas, { timestamp: 0 });
              ends.push(() => frame.close());
              return frame;
            },
            video: async () => {
              const video = Object.assign(document.createElement("video"), { muted: true });
              video.srcObject = canvas.captureStream();
              const timer = setInterval(paint, 20);
              ends.push(() => clearInterval(timer));
              await video.play();
              await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
              return video;
            },
          };
          const backend = await globalThis.vision[name]();
          const things = await loadDetector("/bright.pt2", { backend });
          const found = await things.detect(await sources[kind]!());
          for (const end of ends) end();
          await things.dispose();
          await backend.dispose();
          return found.map(({ box, label }) => ({ box, label }));
        },
        { name, kind, bright: BRIGHT },
      );
      expect(found.map(({ label }) => label)).toEqual(["thing"]);
      for (const [i, side] of BRIGHT.entries()) expect(Math.abs(found[0]!.box[i]! - side)).toBeLessThanOrEqual(2);
    });

    test("a camera is watched until the loop is left, and frames of an iterable are closed", async () => {
      await serve(ready.page);
      const seen = await ready.page.evaluate(
        async ({ name, bright: [x1, y1, x2, y2] }) => {
          const { annotate, loadDetector } = globalThis.vision;
          const backend = await globalThis.vision[name]();
          const things = await loadDetector("/bright.pt2", { backend });
          const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
          const context = canvas.getContext("2d")!;
          const timer = setInterval(() => {
            context.fillStyle = "black";
            context.fillRect(0, 0, 160, 120);
            context.fillStyle = "white";
            context.fillRect(x1, y1, x2 - x1, y2 - y1);
          }, 10);
          const stream = canvas.captureStream();
          const sizes: string[] = [];
          let drawn = false;
          for await (const { found, width, height } of things.stream(stream)) {
            if (found.length === 0) continue;
            sizes.push(`${width} × ${height}`);
            const overlay = new OffscreenCanvas(width, height).getContext("2d")!;
            const odd = [
              [150, 60, 160, 80],
              [-1e9, -1e9, 1e9, 1e9],
              [Number.NaN, 0, 5, 5],
            ] as const;
            annotate(overlay, [...found, ...odd.map((box) => ({ ...found[0]!, box, label: "at the edge" }))]);
            // The caption of a box at the right edge begins far left of the box.
            drawn = overlay.getImageData(100, 54, 1, 1).data[3] === 255;
            if (sizes.length === 3) break;
          }
          clearInterval(timer);
          const frames: VideoFrame[] = [];
          const film = async function* (): AsyncGenerator<VideoFrame> {
            for (let i = 0; i < 5; i++) {
              const frame = new VideoFrame(canvas, { timestamp: i });
              frames.push(frame);
              yield frame;
            }
          };
          let looks = 0;
          for await (const { found } of things.stream(film())) looks += found.length;
          const stop = new AbortController();
          const endless = async function* (): AsyncGenerator<VideoFrame> {
            for (;;) {
              const frame = new VideoFrame(canvas, { timestamp: 0 });
              frames.push(frame);
              yield frame;
            }
          };
          for await (const _ of things.stream(endless(), { signal: stop.signal })) stop.abort();
          await things.dispose();
          await backend.dispose();
          // A closed frame has no format.
          return { sizes, drawn, looks, open: frames.filter(({ format }) => format !== null).length };
        },
        { name, bright: BRIGHT },
      );
      expect(seen).toEqual({ sizes: new Array(3).fill("160 × 120"), drawn: true, looks: 5, open: 0 });
    });
  });
}

describePage("a page without a preset or a picture", { app: APP, sources: true }, (ready) => {
  test("says what is missing", async () => {
    await serve(ready.page);
    await ready.page.route("**/alone.pt2", (route) => route.fulfill({ body: PROGRAM }));
    const codes = await ready.page.evaluate(async () => {
      const { loadDetector, wasm } = globalThis.vision;
      const backend = wasm();
      const things = await loadDetector("/bright.pt2", { backend });
      const attempts = [
        () => loadDetector("/alone.pt2", { backend }),
        () => things.detect(new Image()),
        () => things.detect(document.createElement("video")),
        () => things.detect(new Blob(["no picture"])),
        () => things.detect("scene.jpg" as never),
      ];
      const codes: string[] = [];
      for (const attempt of attempts) {
        codes.push(
          await attempt().then(
            () => "made",
            (error: { readonly code: string }) => error.code,
          ),
        );
      }
      await things.dispose();
      await backend.dispose();
      return codes;
    });
    expect(codes).toEqual(["vision.preset", ...new Array<string>(4).fill("vision.image")]);
  });
});
