import type { Backend } from "@pt2/backend";
import { requireOptions } from "@pt2/format/options";
import type { Model } from "@pt2/runtime";
import type { Camera } from "./camera.ts";
import { type Found, readFound, requireOutputs } from "./found.ts";
import { framesOf } from "./frames.ts";
import type { Placement } from "./geometry.ts";
import { ModelInput } from "./model-input.ts";
import { type Preset, parsePreset } from "./preset.ts";
import type { ImageReader } from "./source.ts";
import { visionError } from "./vision-errors.ts";

/** How a detector is made. */
export interface DetectorOptions {
  /** The backend that the model was loaded with, which resizes pictures too. */
  readonly backend: Backend;
  /** What lies beside the program as JSON: a {@link Preset}, or what `JSON.parse` made of it. */
  readonly preset: unknown;
  /** The names of the classes, by their numbers. @default those of the preset */
  readonly labels?: readonly string[];
  /** The score from which something counts as found. @default that of the preset */
  readonly threshold?: number;
}

/** Options of one call. */
export interface DetectOptions {
  /** The score from which something counts as found, between 0 and 1. @default that of the detector */
  readonly threshold?: number;
  /** Aborts the call, which rejects with its reason; a stream then ends. */
  readonly signal?: AbortSignal;
}

/** What was found in one picture of a stream. */
export interface Frame {
  /** What was found, the surest first. */
  readonly found: readonly Found[];
  /** The size of the picture, in whose pixels positions are. */
  readonly width: number;
  /** The height of the picture in pixels. */
  readonly height: number;
  /** The time from the picture to what was found in it. */
  readonly milliseconds: number;
}

/** Finds things in pictures with a program. Calls may overlap; they are answered in order. */
export class ImageDetector<Image> implements AsyncDisposable {
  readonly #model: Model;
  readonly #input: ModelInput<Image>;
  readonly #preset: Preset;
  /** Frees what was loaded for it. */
  readonly #release: () => Promise<void>;

  constructor(
    model: Model,
    { backend, preset, labels, threshold }: DetectorOptions,
    reader: ImageReader<Image>,
    release: () => Promise<void> = async () => {},
  ) {
    const given = parsePreset(preset);
    requireTask(given, "object-detection");
    this.#preset = { ...given, labels: labels ?? given.labels, threshold: requireShare(threshold ?? given.threshold) };
    this.#model = model;
    this.#input = new ModelInput(backend, reader, given.image);
    this.#release = release;
  }

  /** What the preset says, with the options of the detector. */
  get preset(): Preset {
    return this.#preset;
  }

  /** Returns what is in a picture, in its own pixels, the surest first. The picture is left as it is. */
  async detect(image: Image, options: DetectOptions = {}): Promise<readonly Found[]> {
    return (await this.#detect(image, options)).found;
  }

  async #detect(
    image: Image,
    options: DetectOptions,
  ): Promise<{ readonly found: readonly Found[]; readonly placement: Placement }> {
    requireOptions("detect()", options, { threshold: "number", signal: "AbortSignal" }, "vision.options");
    const { threshold = this.#preset.threshold, signal } = options;
    const least = requireShare(threshold);
    signal?.throwIfAborted();
    return await this.#input.use(image, async ({ tensor, placement }) => {
      const outputs = await this.#model.run({ args: [tensor] }, signal === undefined ? {} : { signal });
      const tensors = requireOutputs(outputs);
      try {
        return { found: await readFound(tensors, placement, this.#preset, least), placement };
      } finally {
        for (const each of Object.values(tensors)) each?.dispose?.();
      }
    });
  }

  /**
   * Looks at the pictures of a camera, one after the other: of a video always the newest. It ends with the camera or the
   * signal, and frees pictures that an iterable gave (`close()`).
   */
  async *stream(
    camera: Camera<Image>,
    { signal, ...options }: DetectOptions = {},
  ): AsyncGenerator<Frame, void, undefined> {
    const stop = new AbortController();
    const ends = signal === undefined ? stop.signal : AbortSignal.any([signal, stop.signal]);
    const frames = await framesOf(camera, ends);
    try {
      for (;;) {
        const image = await frames.next();
        if (image === null || ends.aborted) return;
        const began = performance.now();
        let frame: Frame;
        try {
          const { found, placement } = await this.#detect(image, { ...options, signal: ends });
          frame = { found, ...placement.source, milliseconds: performance.now() - began };
        } catch (error) {
          if (ends.aborted) return;
          throw error;
        } finally {
          frames.free(image);
        }
        yield frame;
      }
    } finally {
      stop.abort();
      await frames.close();
    }
  }

  /** Frees what it made; what `loadDetector` loaded too. A model that was given stays. */
  async dispose(): Promise<void> {
    await this.#input.dispose();
    await this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

/** Refuses a preset for another kind of program. */
export function requireTask({ task }: Preset, expected: Preset["task"]): void {
  if (task === expected) return;
  throw visionError("vision.preset", {
    what: `The preset is for ${task}, not for ${expected}`,
    advice: task === "object-detection" ? "make a detector of it" : "make a classifier of it",
  });
}

function requireShare(threshold: number): number {
  if (typeof threshold === "number" && threshold >= 0 && threshold <= 1) return threshold;
  throw visionError("vision.options", {
    what: `threshold is ${threshold}`,
    advice: "give a number between 0 and 1",
  });
}
