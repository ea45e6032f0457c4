import { ABSOLUTE, worstError } from "@pt2/testing/worst-error";
import { describe, expect, test } from "vitest";
import type { AppOptions } from "./open-app.ts";
import { describePage } from "./page.ts";
import { HEIGHT, PIXELS, resized, WIDTH } from "./picture.ts";
import type {} from "./webgpu/main.ts";

const APP: AppOptions = { webgpu: true, app: "tests/browser/webgpu", sources: true };

/** A browser whose pages share textures with a GPU process, as they do on a machine with a GPU. */
const SHARED: AppOptions = { ...APP, sharedTextures: true };

const KINDS = ["ImageBitmap", "canvas", "OffscreenCanvas", "ImageData", "img", "Blob"] as const;
const FRAMES = ["frame of a canvas", "frame of bytes", "frame in YUV", "video"] as const;

/** How the page treats what it is given. */
interface Page {
  /** The driver calls itself a GPU, so frames are copied directly. */
  readonly gpu?: boolean;
  /** The browser copies from bitmaps alone. */
  readonly bitmapsOnly?: boolean;
}

function declare(name: string, app: AppOptions, kinds: readonly string[], page: Page): void {
  describePage(name, app, (ready) => {
    const read = async (kind: string, width: number, height: number): Promise<readonly number[]> => {
      const png = await ready.page.evaluate(
        async ([pixels, width, height]) => {
          const canvas = new OffscreenCanvas(width, height);
          canvas.getContext("2d")!.putImageData(new ImageData(new Uint8ClampedArray(pixels), width, height), 0, 0);
          const blob = await canvas.convertToBlob();
          return Array.from(new Uint8Array(await blob.arrayBuffer()));
        },
        [PIXELS, WIDTH, HEIGHT] as const,
      );
      await ready.page.route("**/picture.png", (route) =>
        route.fulfill({ body: Buffer.from(png), contentType: "image/png" }),
      );
      return ready.page.evaluate(
        async ({ kind, page, pixels, W, H, width, height }) => {
          if (page.gpu) {
            Object.defineProperty(GPUAdapterInfo.prototype, "architecture", { value: "some" });
            Object.defineProperty(GPUAdapterInfo.prototype, "isFallbackAdapter", { value: false });
          }
          if (page.gpu && !page.bitmapsOnly) {
            globalThis.createImageBitmap = () => Promise.reject(new Error("copied twice"));
          }
          if (page.bitmapsOnly) {
            const copy = GPUQueue.prototype.copyExternalImageToTexture;
            GPUQueue.prototype.copyExternalImageToTexture = function (from, ...rest) {
              if (!(from.source instanceof ImageBitmap)) throw new TypeError("not a bitmap");
              return copy.call(this, from, ...rest);
            };
          }
          const data = new ImageData(new Uint8ClampedArray(pixels), W, H);
          const canvas = Object.assign(document.createElement("canvas"), { width: W, height: H });
          const paint = (): void => canvas.getContext("2d")!.putImageData(data, 0, 0);
          paint();
          const ends: (() => void)[] = [];
          const frame = (made: VideoFrame): VideoFrame => {
            ends.push(() => made.close());
            return made;
          };
          const sources: Record<string, () => Promise<GPUCopyExternalImageSource | Blob>> = {
            ImageBitmap: () => createImageBitmap(data),
            canvas: async () => canvas,
            OffscreenCanvas: async () => {
              const offscreen = new OffscreenCanvas(W, H);
              offscreen.getContext("2d")!.putImageData(data, 0, 0);
              return offscreen;
            },
            ImageData: async () => data,
            img: async () => {
              const image = Object.assign(new Image(), { src: "/picture.png" });
              await image.decode();
              return image;
            },
            Blob: async () => (await fetch("/picture.png")).blob(),
            "frame of a canvas": async () => frame(new VideoFrame(canvas, { timestamp: 0 })),
            "frame of bytes": async () =>
              frame(new VideoFrame(data.data, { format: "RGBA", codedWidth: W, codedHeight: H, timestamp: 0 })),
            "frame in YUV": async () => {
              // BT.709, limited range: each channel of the picture in 4:4:4.
              const planes = [new Uint8Array(W * H), new Uint8Array(W * H), new Uint8Array(W * H)] as const;
              for (let i = 0; i < W * H; i++) {
                const [r, g, b] = [pixels[4 * i]!, pixels[4 * i + 1]!, pixels[4 * i + 2]!];
                const y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
                planes[0][i] = Math.round(16 + (219 / 255) * y);
                planes[1][i] = Math.round(128 + ((224 / 255) * (b - y)) / 1.8556);
                planes[2][i] = Math.round(128 + ((224 / 255) * (r - y)) / 1.5748);
              }
              const bytes = new Uint8Array(3 * W * H);
              for (const [i, plane] of planes.entries()) bytes.set(plane, i * W * H);
              const colorSpace = {
                primaries: "bt709",
                transfer: "iec61966-2-1",
                matrix: "bt709",
                fullRange: false,
              } as const;
              const init = { format: "I444", codedWidth: W, codedHeight: H, timestamp: 0, colorSpace } as const;
              return frame(new VideoFrame(bytes, init));
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
          const backend = await globalThis.gpu.webgpu();
          const tensor = await backend.image(await sources[kind]!(), { width, height });
          const values = Array.from(await tensor.read(), Number);
          tensor.dispose();
          await backend.dispose();
          for (const end of ends) end();
          return values;
        },
        { kind, page, pixels: PIXELS, W: WIDTH, H: HEIGHT, width, height },
      );
    };

    test.each(kinds)("%s", async (kind) => {
      // Browsers convert colors of a video with few bits, most of all on a CPU.
      const tolerance = kind === "frame in YUV" ? 8 / 255 : 1e-5;
      for (const [width, height] of [
        [WIDTH, HEIGHT],
        [10, 31],
      ] as const) {
        const expected = [0, 1, 2].flatMap((channel) => resized(channel, width, height));
        expect(worstError(await read(kind, width, height), expected, ABSOLUTE)).toBeLessThan(tolerance);
      }
    });
  });
}

describePage("what holds no picture", APP, (ready) => {
  test("what holds no picture is refused, and the device stays", async () => {
    const codes = await ready.page.evaluate(async () => {
      const backend = await globalThis.gpu.webgpu();
      const closed = new VideoFrame(await createImageBitmap(new ImageData(4, 4)), { timestamp: 0 });
      closed.close();
      const sources = [
        closed,
        document.createElement("video"),
        new Image(),
        new Blob(["no picture"]),
        new ImageData(backend.device.limits.maxTextureDimension2D + 1, 1),
      ];
      const codes: string[] = [];
      for (const source of sources) {
        const made = backend.image(source, { width: 4, height: 4 });
        codes.push(await made.then(() => "made").catch((error: { readonly code: string }) => error.code));
      }
      const tensor = await backend.image(new ImageData(4, 4), { width: 4, height: 4 });
      codes.push(tensor.shape.join());
      await backend.dispose();
      return codes;
    });
    const tooLarge = "webgpu.too-large";
    expect(codes).toEqual([tooLarge, tooLarge, tooLarge, "webgpu.refused", tooLarge, "1,3,4,4"]);
  });
});

describe("tensors of", () => {
  declare("pictures and frames without a GPU", APP, [...KINDS, ...FRAMES], {});
  declare("frames that a GPU copies", SHARED, FRAMES, { gpu: true });
  declare("frames in a browser that copies from bitmaps", APP, ["canvas", ...FRAMES], { gpu: true, bitmapsOnly: true });
});
