import { requireOptions } from "@pt2/format/options";
import type { Model, Tensor } from "@pt2/runtime";
import { type DetectorOptions, requireTask } from "./detector.ts";
import { ModelInput } from "./model-input.ts";
import { parsePreset } from "./preset.ts";
import type { ImageReader } from "./source.ts";
import { visionError } from "./vision-errors.ts";

/** A class and the share of it that a picture is thought to be. */
export interface Classified {
  /** The name of the class; its number where there is no name. */
  readonly label: string;
  /** The number of the class. */
  readonly index: number;
  /** The softmax of the program's logits, between 0 and 1. */
  readonly score: number;
}

/** How a classifier is made. */
export type ClassifierOptions = Omit<DetectorOptions, "threshold">;

/** Options of one call. */
export interface ClassifyOptions {
  /** The number of classes to return. @default 5 */
  readonly top?: number;
  /** Aborts the call, which rejects with its reason. */
  readonly signal?: AbortSignal;
}

/** Tells what pictures show with a program that returns logits [1, classes]. */
export class ImageClassifier<Image> implements AsyncDisposable {
  readonly #model: Model;
  readonly #input: ModelInput<Image>;
  readonly #labels: readonly string[];
  readonly #release: () => Promise<void>;

  constructor(
    model: Model,
    { backend, preset, labels }: ClassifierOptions,
    reader: ImageReader<Image>,
    release: () => Promise<void> = async () => {},
  ) {
    const given = parsePreset(preset);
    requireTask(given, "image-classification");
    this.#labels = labels ?? given.labels;
    this.#model = model;
    this.#input = new ModelInput(backend, reader, given.image);
    this.#release = release;
  }

  /** Returns the classes that a picture most probably shows, the most probable first. */
  async classify(image: Image, options: ClassifyOptions = {}): Promise<readonly Classified[]> {
    requireOptions("classify()", options, { top: "number from 0", signal: "AbortSignal" }, "vision.options");
    const { top = 5, signal } = options;
    signal?.throwIfAborted();
    return await this.#input.use(image, async ({ tensor }) => {
      const logits = await this.#model.run<Tensor>({ args: [tensor] }, signal === undefined ? {} : { signal });
      if (logits?.shape?.length !== 2 || logits.shape[0] !== 1) {
        throw visionError("vision.outputs", {
          what: "The program does not return one tensor of logits [1, classes]",
          advice: "export a module whose forward takes pictures and returns logits",
        });
      }
      const shares = softmax(Array.from((await logits.read()) as ArrayLike<number>, Number));
      logits.dispose();
      return shares
        .map((score, index) => ({ label: this.#labels[index] ?? String(index), index, score }))
        .sort((one, other) => other.score - one.score)
        .slice(0, top);
    });
  }

  /** Frees what it made; what `loadClassifier` loaded too. A model that was given stays. */
  async dispose(): Promise<void> {
    await this.#input.dispose();
    await this.#release();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }
}

function softmax(logits: readonly number[]): readonly number[] {
  const most = logits.reduce((largest, x) => Math.max(largest, x), -Infinity);
  const powers = logits.map((x) => Math.exp(x - most));
  const sum = powers.reduce((total, x) => total + x, 0);
  return powers.map((x) => x / sum);
}
