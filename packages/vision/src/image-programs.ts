import type { Backend } from "@pt2/backend";
import { load, type Model, type Tensor, tensor } from "@pt2/runtime";
import type { Placement } from "./geometry.ts";
import { type ImageSteps, imageProgram, keyOf, overshoots, type ResizeOp } from "./image-program.ts";
import { type Pixels, pixelTensor, type Size } from "./pixels.ts";
import { visionError } from "./vision-errors.ts";

/** What is done with a picture, in this order; what is left out is not done. */
export interface ImageWork {
  readonly resize?: { readonly op: ResizeOp; readonly size: Size; readonly bytes: boolean };
  readonly put?: Omit<Placement, "source"> & { readonly fill: number };
  readonly normalize?: { readonly mean: readonly number[]; readonly std: readonly number[] };
}

/**
 * The programs of pictures on a backend, each compiled when it is first needed: one for each kind of work, whose plans for
 * the sizes that were used last are kept.
 */
export class ImagePrograms {
  readonly #backend: Backend;
  readonly #models = new Map<string, Promise<Model>>();
  #disposed = false;

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /** Makes a float32 picture [n, c, height, width] of raw pixels, or of such a picture. The caller owns the result. */
  async run(image: Pixels | Tensor, { resize, put, normalize }: ImageWork): Promise<Tensor> {
    const source = "shape" in image ? image : pixelTensor(image);
    const steps: ImageSteps = {
      channels: source === image ? null : (source.shape[2] as 1 | 3 | 4),
      resize: resize?.op ?? null,
      bytes: resize?.bytes === true,
      put: put !== undefined,
      normalize: normalize !== undefined,
    };
    const inputs: unknown[] = [source];
    if (resize) inputs.push(resize.size.height, resize.size.width);
    if (resize && overshoots(resize.op, resize.bytes))
      inputs.push("shape" in image ? image.shape.at(-2) : image.height);
    if (put) inputs.push(...bordersOf(put), put.fill);
    if (normalize) inputs.push(column(normalize.mean), column(normalize.std));
    const model = await this.#modelOf(steps);
    const [made] = await model.runFlat(inputs);
    return made as Tensor;
  }

  #modelOf(steps: ImageSteps): Promise<Model> {
    if (this.#disposed) throw disposed();
    const key = keyOf(steps);
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const source = { program: imageProgram(steps), weights: new Map() };
    const made = load(source, { backend: this.#backend, precision: "exact" });
    this.#models.set(key, made);
    made.catch(() => this.#models.delete(key));
    return made;
  }

  /** Frees the programs; waits for what is under way. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    const models = await Promise.allSettled(this.#models.values());
    this.#models.clear();
    await Promise.all(models.map(async (made) => made.status === "fulfilled" && (await made.value.dispose())));
  }
}

/** The error for a picture that is given too late. */
export function disposed(): Error {
  return visionError("vision.disposed", {
    what: "A picture was given to a detector, a classifier or transforms that were disposed",
    advice: "make a new one, or dispose of it later",
  });
}

/** Pixels to add at the left, right, top and bottom; below 0 to cut off. */
function bordersOf({ resized, left, top, input }: Omit<Placement, "source">): readonly number[] {
  return [left, input.width - resized.width - left, top, input.height - resized.height - top];
}

function column(numbers: readonly number[]): Tensor {
  return tensor(numbers, { shape: [numbers.length, 1, 1] });
}
