import type { Backend } from "@pt2/backend";
import { type OptionTypes, requireOptions } from "@pt2/format/options";
import type { Decoder } from "./decoder.ts";
import { generateError } from "./generate-errors.ts";
import { Sampler } from "./sampler.ts";
import { completeSettings, type GenerationSettings, SETTING_TYPES } from "./settings.ts";

/** Options of a text. Settings that are left out are those of the model. */
export interface GenerateOptions extends GenerationSettings {
  /** Seeds the backend's random numbers before the first one is drawn, as `torch.manual_seed` does. */
  readonly seed?: number | bigint;
  /** Aborts the text: the loop over it throws the signal's reason. */
  readonly signal?: AbortSignal;
}

/** Why a text ended: with an end token, or with as many tokens as were asked for. */
export type GenerationEnd = "eos" | "length";

const OPTIONS: OptionTypes = { ...SETTING_TYPES, seed: "unknown", signal: "AbortSignal" };

/** A loaded language model. */
export class LanguageModel implements AsyncDisposable {
  readonly #backend: Backend;
  readonly #decoder: Decoder;
  readonly #sampler: Sampler;
  readonly #settings: GenerationSettings;
  #isDisposed = false;

  constructor(backend: Backend, decoder: Decoder, settings: GenerationSettings) {
    this.#backend = backend;
    this.#decoder = decoder;
    this.#sampler = new Sampler(backend);
    this.#settings = settings;
  }

  /** The most tokens of a text, prompt included; null: as many as there is memory for. */
  get capacity(): number | null {
    return this.#decoder.capacity;
  }

  /**
   * Continues a prompt of tokens, and yields each new token as soon as it is chosen, the end token too. The loop may be left at
   * any time. Throws `generate.length` before it begins if prompt and `maxNewTokens` are longer than the capacity, and
   * `generate.busy` if the model keeps its caches and is generating another text.
   */
  async *generate(
    prompt: readonly number[] | BigInt64Array,
    options: GenerateOptions = {},
  ): AsyncGenerator<number, GenerationEnd, undefined> {
    requireOptions("generate()", options, OPTIONS, "generate.options");
    const { seed, signal, ...call } = options;
    const settings = completeSettings(this.#settings, call);
    const text = tokensOf(prompt);
    this.#requireRoom(text.length, settings.maxNewTokens);
    if (this.#isDisposed) {
      throw generateError("generate.disposed", { what: "The language model was disposed", advice: "load it again" });
    }
    signal?.throwIfAborted();
    const reader = this.#decoder.begin();
    try {
      if (seed !== undefined) this.#backend.manualSeed?.(seed);
      let unread: readonly number[] = text.slice();
      for (let created = 0; created < settings.maxNewTokens; created++) {
        const logits = await reader.read(unread, signal);
        let token: number;
        try {
          token = await this.#sampler.next(logits, text, created, settings);
        } finally {
          logits.dispose?.();
        }
        text.push(token);
        unread = [token];
        yield token;
        if (settings.eosTokenId.includes(token)) return "eos";
        signal?.throwIfAborted();
      }
      return "length";
    } finally {
      reader.end();
    }
  }

  /** The last new token is read by nothing, so that it needs no room. */
  #requireRoom(prompt: number, maxNewTokens: number): void {
    const { capacity } = this;
    if (capacity === null || prompt + maxNewTokens - 1 <= capacity) return;
    throw generateError("generate.length", {
      what: `${prompt} tokens and ${maxNewTokens} new ones do not fit into a cache of ${capacity}`,
      advice:
        "ask for fewer with `maxNewTokens`, or export with a larger `max_cache_len`; a model with a sliding window needs a cache that grows for more",
      details: { capacity },
    });
  }

  /** Frees the programs; waits for calls under way. The backend stays. */
  async dispose(): Promise<void> {
    this.#isDisposed = true;
    await Promise.all([this.#decoder.dispose(), this.#sampler.dispose()]);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

function tokensOf(prompt: readonly number[] | BigInt64Array): number[] {
  const isList = Array.isArray(prompt) || ArrayBuffer.isView(prompt);
  const tokens = isList ? Array.from(prompt as Iterable<number | bigint>, Number) : [];
  if (tokens.length > 0 && tokens.every((token) => Number.isSafeInteger(token) && token >= 0)) return tokens;
  throw generateError("generate.prompt", {
    what: isList && tokens.length === 0 ? "The prompt has no tokens" : "The prompt is not an array of tokens",
    advice:
      "give what a tokenizer made of a text, such as `tokenizer.encode(text).ids`; the first is often `bos_token_id`",
  });
}
