import type { Backend } from "@pt2/backend";
import { type EagerOps, eagerOps } from "@pt2/eager";
import type { Tensor } from "@pt2/runtime";
import { type Placement, place } from "./geometry.ts";
import { imageOpsOf, prepared } from "./image-ops.ts";
import type { ImagePreset } from "./preset.ts";
import { type ImageReader, takesImages } from "./source.ts";
import { visionError } from "./vision-errors.ts";

/** A picture as the input of a program. */
export interface Prepared {
  /** float32 [1, 3, height, width] */
  readonly tensor: Tensor;
  readonly placement: Placement;
}

/** Makes inputs of pictures for one program, on its backend. */
export class ModelInput<Image> {
  readonly #backend: Backend;
  readonly #reader: ImageReader<Image>;
  readonly #preset: ImagePreset;
  #eager: Promise<EagerOps> | null = null;
  #disposed = false;

  constructor(backend: Backend, reader: ImageReader<Image>, preset: ImagePreset) {
    this.#backend = backend;
    this.#reader = reader;
    this.#preset = preset;
  }

  /** Reads a picture, resizes it and puts it where the preset says. The caller owns the tensor. */
  async prepare(image: Image): Promise<Prepared> {
    this.requireOpen();
    const [eager, open] = await Promise.all([this.#ops(), this.#reader.open(image)]);
    try {
      const placement = place(open.size, this.#preset);
      const source = await this.#pictureOf(open, placement, eager);
      try {
        const tensor = prepared(eager, source, placement, this.#preset);
        await (tensor as Tensor & { computed?(): Promise<Tensor> }).computed?.();
        return { tensor, placement };
      } finally {
        // The input is never the picture itself, which may be memory of a GPU.
        source.dispose();
      }
    } finally {
      open.close();
    }
  }

  /** A picture whose pixels a GPU can copy is resized while it is copied, where pixels are averaged anyway. */
  async #pictureOf(
    open: Awaited<ReturnType<ImageReader<Image>["open"]>>,
    { resized }: Placement,
    eager: EagerOps,
  ): Promise<Tensor> {
    const { antialias = true, interpolation = "bilinear" } = this.#preset;
    if (open.external === undefined || !takesImages(this.#backend)) {
      return imageOpsOf(eager).toTensor(await open.pixels());
    }
    const { width, height } = antialias && interpolation === "bilinear" ? resized : open.size;
    return await this.#backend.image(open.external, { width, height });
  }

  #ops(): Promise<EagerOps> {
    this.#eager ??= eagerOps(this.#backend);
    return this.#eager;
  }

  requireOpen(): void {
    if (!this.#disposed) return;
    throw visionError("vision.disposed", {
      what: "A picture was given to a detector or a classifier that was disposed",
      advice: "make a new one, or dispose of it later",
    });
  }

  async dispose(): Promise<void> {
    if (this.#disposed) return;
    this.#disposed = true;
    await (await this.#eager)?.dispose();
  }
}
