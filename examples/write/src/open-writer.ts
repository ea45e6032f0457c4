import { Tokenizer } from "@huggingface/tokenizers";
import { type GenerateOptions, type LanguageModel, loadLanguageModel, streamText } from "@pt2/generate";
import { type BackendId, backendOf } from "./backends.ts";

/** A model with its tokenizer. */
export class Writer {
  readonly #model: LanguageModel;
  readonly #tokenizer: Tokenizer;

  constructor(model: LanguageModel, tokenizer: Tokenizer) {
    this.#model = model;
    this.#tokenizer = tokenizer;
  }

  /** Yields what comes after a text, and tells of each token. */
  continue(text: string, options: GenerateOptions, onToken: () => void): AsyncGenerator<string, void, undefined> {
    const tokens = this.#model.generate(this.#tokenizer.encode(text).ids, options);
    return streamText(told(tokens, onToken), this.#tokenizer);
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }
}

/** Opens the folder of a model: the programs that transformers exported, and the files of its tokenizer beside them. */
export async function openWriter(address: string, id: BackendId, signal: AbortSignal): Promise<Writer> {
  const json = async (name: string): Promise<object> => {
    const response = await fetch(`${address.replace(/\/$/, "")}/${name}`, { signal });
    if (!response.ok) throw new Error(`There is no ${name} at ${address}: ${response.status} ${response.statusText}`);
    return (await response.json()) as object;
  };
  const [tokenizer, config] = await Promise.all([json("tokenizer.json"), json("tokenizer_config.json")]);
  const model = await loadLanguageModel(address, { backend: await backendOf(id), signal });
  return new Writer(model, new Tokenizer(tokenizer, config));
}

async function* told(tokens: AsyncIterable<number>, onToken: () => void): AsyncGenerator<number, void, undefined> {
  for await (const token of tokens) {
    onToken();
    yield token;
  }
}
