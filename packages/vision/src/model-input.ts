import type { Backend } from "@pt2/backend";
import type { Tensor } from "@pt2/runtime";
import { type Placement, place } from "./geometry.ts";
import { workOf } from "./image-ops.ts";
import { disposed, ImagePrograms } from "./image-programs.ts";
import type { ImagePreset } from "./preset.ts";
import { type ImageReader, type OpenImage, takesImages } from "./source.ts";

/** A picture as the input of a program. The tensor lives as long as the call that uses it. */
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
  readonly #calls = new Set<Promise<unknown>>();
  #isOpen = true;

  constructor(backend: Backend, reader: ImageReader<Image>, preset: ImagePreset) {
    this.#backend = backend;
    this.#reader = reader;
    this.#preset = preset;
    this.#programs = new ImagePrograms(backend);
  }

  /** Reads a picture, resizes it and puts it where the preset says, and returns what a program makes of it. */
  async use<T>(image: Image, program: (prepared: Prepared) => Promise<T>): Promise<T> {
    if (!this.#isOpen) throw disposed();
    const call = this.#prepare(image).then(async (prepared) => {
      try {
        return await program(prepared);
      } finally {
        prepared.tensor.dispose();
      }
    });
    this.#calls.add(call);
    try {
      return await call;
    } finally {
      this.#calls.delete(call);
    }
  }

  async #prepare(image: Image): Promise<Prepared> {
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
  async dispose(): Promise<void> {
    this.#isOpen = false;
    await Promise.allSettled(this.#calls);
    await this.#programs.dispose();
  }
}
