import type { Backend } from "@pt2/backend";
import type { Tensor } from "@pt2/runtime";
import { type Placement, place } from "./geometry.ts";
import { workOf } from "./image-ops.ts";
import { ImagePrograms } from "./image-programs.ts";
import type { ImagePreset } from "./preset.ts";
import { type ImageReader, type OpenImage, takesImages } from "./source.ts";

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
  readonly #programs: ImagePrograms;

  constructor(backend: Backend, reader: ImageReader<Image>, preset: ImagePreset) {
    this.#backend = backend;
    this.#reader = reader;
    this.#preset = preset;
    this.#programs = new ImagePrograms(backend);
  }

  /** Reads a picture, resizes it and puts it where the preset says. The caller owns the tensor. */
  async prepare(image: Image): Promise<Prepared> {
    this.#programs.requireOpen();
    const open = await this.#reader.open(image);
    try {
      const placement = place(open.size, this.#preset);
      return { tensor: await this.#inputOf(open, placement), placement };
    } finally {
      open.close();
    }
  }

  async #inputOf(open: OpenImage, placement: Placement): Promise<Tensor> {
    if (open.external === undefined || !takesImages(this.#backend)) {
      return await this.#programs.run(await open.pixels(), workOf(open.size, placement, this.#preset));
    }
    // A picture whose pixels a GPU can copy is resized while it is copied, where pixels are averaged anyway.
    const { antialias = true, interpolation = "bilinear" } = this.#preset;
    const { width, height } = antialias && interpolation === "bilinear" ? placement.resized : open.size;
    const picture = await this.#backend.image(open.external, { width, height });
    const work = workOf({ width, height }, placement, this.#preset);
    if (Object.keys(work).length === 0) return picture;
    try {
      return await this.#programs.run(picture, work);
    } finally {
      picture.dispose();
    }
  }

  /** Waits for pictures under way. */
  dispose(): Promise<void> {
    return this.#programs.dispose();
  }
}
