import { Tokenizer } from "@huggingface/tokenizers";
import { type HostTensor, tensor } from "@pt2/runtime";

/** Texts as the encoder takes them, padded to the longest. */
export interface Batch {
  readonly input_ids: HostTensor;
  readonly attention_mask: HostTensor;
}

/** Longer texts lose their end, as in PyTorch. */
const MOST_TOKENS = 256;

/** Turns texts into token numbers, with the tokenizer files that belong to the model. */
export class TextTokenizer {
  readonly #tokenizer: Tokenizer;

  private constructor(tokenizer: Tokenizer) {
    this.#tokenizer = tokenizer;
  }

  /** Reads `tokenizer.json` and `tokenizer_config.json` of a folder, with what reads the text of a file. */
  static async load(folder: URL, readText: (file: URL) => Promise<string>): Promise<TextTokenizer> {
    const [tokenizer, config] = await Promise.all(
      ["tokenizer.json", "tokenizer_config.json"].map(async (name): Promise<object> => {
        return JSON.parse(await readText(new URL(name, folder)));
      }),
    );
    return new TextTokenizer(new Tokenizer(tokenizer!, config!));
  }

  /** Token numbers of one text, with the marks at its ends. */
  encode(text: string): readonly number[] {
    const { ids } = this.#tokenizer.encode(text);
    return ids.length <= MOST_TOKENS ? ids : [...ids.slice(0, MOST_TOKENS - 1), ids.at(-1)!];
  }
}

/** Pads encoded texts to the longest, or to `length`; padding is number 0 and masked. */
export function batchOf(encoded: readonly (readonly number[])[], length = 0): Batch {
  const width = Math.max(length, ...encoded.map((ids) => ids.length));
  const padded = encoded.flatMap((ids) => [...ids, ...new Array<number>(width - ids.length).fill(0)]);
  const mask = encoded.flatMap((ids) => Array.from({ length: width }, (_, i) => (i < ids.length ? 1 : 0)));
  const shape = [encoded.length, width];
  return { input_ids: tensor("int64", shape, padded), attention_mask: tensor("int64", shape, mask) };
}
