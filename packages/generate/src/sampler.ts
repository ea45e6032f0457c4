import type { Backend } from "@pt2/backend";
import { load, type Model, type Tensor, tensor } from "@pt2/runtime";
import { excludedTokens } from "./excluded-tokens.ts";
import { keyOf, type SamplingSteps, samplingProgram } from "./sampling-program.ts";
import type { Settings } from "./settings.ts";

/** Chooses tokens on a backend, by programs that are compiled when their steps are first asked for. */
export class Sampler {
  readonly #backend: Backend;
  readonly #models = new Map<string, Promise<Model>>();

  constructor(backend: Backend) {
    this.#backend = backend;
  }

  /**
   * Returns the token that follows a text. `logits` (float32 [1, vocabulary]) stay the caller's, `text` is the prompt with the
   * `created` tokens after it.
   */
  async next(logits: Tensor, text: readonly number[], created: number, settings: Settings): Promise<number> {
    const vocabulary = logits.shape.at(-1)!;
    const { doSample: sample, temperature, topK, topP, minP, repetitionPenalty } = settings;
    const isToken = (token: number): boolean => token < vocabulary;
    const penalized = repetitionPenalty === 1 ? [] : text.filter(isToken);
    const excluded = excludedTokens(text, created, settings).filter(isToken);
    const steps: SamplingSteps = {
      penalty: penalized.length > 0,
      excluded: excluded.length > 0,
      sample,
      temperature: sample && temperature !== 1,
      topK: sample && topK > 0,
      topP: sample && topP < 1,
      minP: sample && minP > 0,
    };
    const inputs: unknown[] = [logits];
    if (steps.penalty) inputs.push(rowOf(penalized), repetitionPenalty);
    if (steps.excluded) inputs.push(rowOf(excluded));
    if (steps.temperature) inputs.push(temperature);
    if (steps.topK) inputs.push(Math.min(topK, vocabulary));
    if (steps.topP) inputs.push(1 - topP);
    if (steps.minP) inputs.push(minP);
    const [chosen] = await (await this.#modelOf(steps)).runFlat(inputs);
    const token = chosen as Tensor<"int64">;
    try {
      return Number((await token.read())[0]);
    } finally {
      token.dispose?.();
    }
  }

  #modelOf(steps: SamplingSteps): Promise<Model> {
    const key = keyOf(steps);
    const known = this.#models.get(key);
    if (known !== undefined) return known;
    const source = { program: samplingProgram(steps), weights: new Map() };
    const made = load(source, { backend: this.#backend, precision: "exact" });
    this.#models.set(key, made);
    made.catch(() => this.#models.delete(key));
    return made;
  }

  /** Frees the programs; waits for what is under way. */
  async dispose(): Promise<void> {
    const models = await Promise.allSettled(this.#models.values());
    this.#models.clear();
    await Promise.all(models.map(async (made) => made.status === "fulfilled" && (await made.value.dispose())));
  }
}

function rowOf(tokens: readonly number[]): Tensor {
  return tensor("int64", [1, tokens.length], tokens);
}
