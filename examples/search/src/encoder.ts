import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { type Backend, load, type Model } from "@pt2/runtime/node";
import { batchOf, TextTokenizer } from "./tokens.ts";

/** Where `export_model.py` puts the model. */
export const MODEL_FOLDER: URL = new URL("../model/", import.meta.url);

const BATCH = 8;
/** Widths are rounded up, so that few different shapes have to be planned. */
const WIDTH_STEP = 16;

/** Whether the model was exported. */
export function hasModel(): boolean {
  return existsSync(new URL("minilm.pt2", MODEL_FOLDER));
}

/** all-MiniLM-L6-v2: sentences to vectors of length one, near each other where the meaning is. */
export class SentenceEncoder {
  readonly #model: Model;
  readonly #tokenizer: TextTokenizer;

  private constructor(model: Model, tokenizer: TextTokenizer) {
    this.#model = model;
    this.#tokenizer = tokenizer;
  }

  /** Loads model and tokenizer. */
  static async load(backend: Backend): Promise<SentenceEncoder> {
    const model = await load(fileURLToPath(new URL("minilm.pt2", MODEL_FOLDER)), { backend });
    return new SentenceEncoder(model, await TextTokenizer.load(MODEL_FOLDER, (file) => readFile(file, "utf8")));
  }

  /** Vectors of texts, in their order. `onProgress` hears how many are done. */
  async embed(
    texts: readonly string[],
    onProgress: (done: number) => void = () => {},
  ): Promise<readonly Float32Array[]> {
    const vectors = new Array<Float32Array>(texts.length);
    // Texts of similar length share a batch, so that little of it is padding.
    const encoded = texts.map((text, at) => ({ at, ids: this.#tokenizer.encode(text) }));
    encoded.sort((a, b) => a.ids.length - b.ids.length);
    for (let first = 0; first < encoded.length; first += BATCH) {
      const some = encoded.slice(first, first + BATCH);
      const width = Math.ceil(some.at(-1)!.ids.length / WIDTH_STEP) * WIDTH_STEP;
      const rows = await this.#forward(
        some.map(({ ids }) => ids),
        width,
      );
      some.forEach(({ at }, i) => {
        vectors[at] = rows[i]!;
      });
      onProgress(first + some.length);
    }
    return vectors;
  }

  async #forward(encoded: readonly (readonly number[])[], width: number): Promise<readonly Float32Array[]> {
    const result = await this.#model.forward({ ...batchOf(encoded, width) });
    const data = (await result.read()) as Float32Array;
    const size = result.shape[1]!;
    return encoded.map((_, i) => data.slice(i * size, (i + 1) * size));
  }

  /** Frees the model. */
  dispose(): Promise<void> {
    return this.#model.dispose();
  }
}
