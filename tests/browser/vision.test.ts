import { readFileSync } from "node:fs";
import type { Page } from "playwright-core";
import { expect, test } from "vitest";
import { describePage } from "./page.ts";
import type {} from "./vision/main.ts";

/** TypeScript's library does not have it. */
declare const MediaStreamTrackProcessor: new (options: {
  readonly track: MediaStreamTrack;
}) => { readonly readable: ReadableStream<VideoFrame> };

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

/** One thing was found, at the place of the rectangle. */
function expectBright(kind: string, boxes: readonly (readonly number[])[]): void {
  expect(boxes.length, kind).toBe(1);
  for (const [i, side] of BRIGHT.entries()) expect(Math.abs(boxes[0]![i]! - side), kind).toBeLessThanOrEqual(2);
}

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
    test("things are found in pixels of everything that a page shows", async () => {
      await serve(ready.page);
      const found = await ready.page.evaluate(
        async ({ name, bright: [x1, y1, x2, y2] }) => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
          const context = canvas.getContext("2d")!;
          const paint = (): void => {
            context.fillStyle = "black";
            context.fillRect(0, 0, 160, 120);
            context.fillStyle = "white";
            context.fillRect(x1, y1, x2 - x1, y2 - y1);
          };
          paint();
          const offscreen = new OffscreenCanvas(160, 120);
          offscreen.getContext("2d")!.drawImage(canvas, 0, 0);
          const img = Object.assign(new Image(), { src: "/bright.png" });
          await img.decode();
          const pixels = context.getImageData(0, 0, 160, 120);
          const frame = new VideoFrame(canvas, { timestamp: 0 });
          const video = Object.assign(document.createElement("video"), { muted: true });
          video.srcObject = canvas.captureStream();
          const timer = setInterval(paint, 20);
          await video.play();
          await new Promise((resolve) => video.requestVideoFrameCallback(resolve));
          const pictures = {
            ImageBitmap: await createImageBitmap(canvas),
            canvas,
            OffscreenCanvas: offscreen,
            ImageData: pixels,
            img,
            Blob: await (await fetch("/bright.png")).blob(),
            "raw pixels": {
              ...{ width: 160, height: 120, channels: 3 as const },
              data: pixels.data.filter((_, i) => i % 4 < 3),
            },
            VideoFrame: frame,
            video,
          };
          const backend = await globalThis.vision[name]();
          const things = await globalThis.vision.loadDetector("/bright.pt2", { backend });
          const found: Record<string, readonly (readonly number[])[]> = {};
          for (const [kind, picture] of Object.entries(pictures)) {
            found[kind] = (await things.detect(picture)).map(({ box }) => box);
          }
          clearInterval(timer);
          frame.close();
          await things.dispose();
          await backend.dispose();
          return found;
        },
        { name, bright: BRIGHT },
      );
      expect(Object.keys(found)).toHaveLength(9);
      for (const [kind, boxes] of Object.entries(found)) expectBright(kind, boxes);
    });

    test("things are found in a worker of the page, in pictures and frames that are transferred to it", async () => {
      await serve(ready.page);
      const { boxes, ...others } = await ready.page.evaluate(
        async ({ name, bright: [x1, y1, x2, y2] }) => {
          const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 120 });
          const context = canvas.getContext("2d")!;
          const timer = setInterval(() => {
            context.fillStyle = "black";
            context.fillRect(0, 0, 160, 120);
            context.fillStyle = "white";
            context.fillRect(x1, y1, x2 - x1, y2 - y1);
          }, 10);
          await new Promise((resolve) => setTimeout(resolve, 50));
          const bitmap = await createImageBitmap(canvas);
          const frame = new VideoFrame(canvas, { timestamp: 0 });
          const blob = await (await fetch("/bright.png")).blob();
          const pictures = { bitmap, frame, blob, pixels: context.getImageData(0, 0, 160, 120) };
          const [track] = canvas.captureStream().getVideoTracks();
          const { readable: camera } = new MediaStreamTrackProcessor({ track: track! });
          const job = { backend: name, program: "/bright.pt2", pictures, camera };
          const done = await globalThis.vision.inWorker(job, [bitmap, frame, camera]);
          clearInterval(timer);
          return done;
        },
        { name, bright: BRIGHT },
      );
      expect(Object.keys(boxes)).toHaveLength(4);
      for (const [kind, each] of Object.entries(boxes)) expectBright(kind, each);
      expect(others).toEqual({ watched: 3, drawn: true, refused: "vision.camera" });
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
            // The caption of a box at the right edge begins far left of the box, also where the canvas is scaled.
            drawn = overlay.getImageData(100, 54, 1, 1).data[3] === 255;
            const scaled = new OffscreenCanvas(330, 250).getContext("2d")!;
            scaled.setTransform(2, 0, 0, 2, 10, 10);
            annotate(scaled, [{ ...found[0]!, box: odd[0], label: "at the edge" }]);
            drawn &&= [210, 328].every((x) => scaled.getImageData(x, 118, 1, 1).data[3] === 255);
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

    if (name === "webgpu") return;
    test("a page is told what is missing", async () => {
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
}
