// A worker that detects: what a page transfers to it, and what it makes itself.
import { wasm } from "@pt2/backend-wasm";
import { webgpu } from "@pt2/backend-webgpu";
import { annotate, type Camera, loadDetector, type PageImage } from "@pt2/vision";

/** What the page asks for. */
export interface Job {
  readonly backend: "wasm" | "webgpu";
  readonly program: string;
  readonly pictures: Readonly<Record<string, PageImage>>;
  readonly camera: Camera<PageImage>;
}

/** Boxes by the name of the picture, and how many frames were watched. */
export interface Done {
  readonly boxes: Readonly<Record<string, readonly (readonly number[])[]>>;
  readonly watched: number;
  readonly drawn: boolean;
  readonly refused: string;
}

async function work({ backend: name, program, pictures, camera }: Job): Promise<Done> {
  const backend = await (name === "wasm" ? wasm() : webgpu());
  const things = await loadDetector(program, { backend });
  const boxes: Record<string, readonly (readonly number[])[]> = {};
  for (const [kind, picture] of Object.entries(pictures)) {
    boxes[kind] = (await things.detect(picture)).map(({ box }) => box);
  }
  let watched = 0;
  let drawn = false;
  for await (const { found, width, height } of things.stream(camera)) {
    const context = new OffscreenCanvas(width, height).getContext("2d")!;
    annotate(context, found);
    drawn = context.getImageData(0, 0, width, height).data.some((value) => value > 0);
    if (++watched === 3) break;
  }
  // As where a page sends what cannot be transferred.
  const refused = await things
    .stream({} as never)
    .next()
    .then(
      () => "",
      (error: { readonly code: string }) => error.code,
    );
  await things.dispose();
  await backend.dispose();
  return { boxes, watched, drawn, refused };
}

globalThis.onmessage = async ({ data }: MessageEvent<Job>) => {
  globalThis.postMessage(await work(data).catch((error: unknown) => String(error)));
};
