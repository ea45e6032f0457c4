import { type LeafInfo, type Model, ones, type Tensor, tensor, type Value } from "@pt2/runtime";
import { generateError } from "./generate-errors.ts";

/** What an encoder made of its inputs, by the names that decoders take it by. */
export interface Encoded {
  readonly values: ReadonlyMap<string, Value>;
  /** Frees what the encoder made. */
  free(): void;
}

/** What the encoder of a model reads, by name: `input_ids`, which may be an array of tokens, `input_features`, … */
export type EncoderInputs = Readonly<Record<string, unknown>>;

/** Reads what a text is to be made of: another text, sound, a picture. */
export class Encoder {
  readonly #model: Model;

  constructor(model: Model) {
    this.#model = model;
  }

  get inputs(): readonly LeafInfo[] {
    return this.#model.inputs;
  }

  /** Throws `generate.prompt` for inputs that are not there, and the errors of `load` for those that do not fit. */
  async encode(given: EncoderInputs, signal: AbortSignal | undefined): Promise<Encoded> {
    const inputs = completed(given);
    const names = this.#model.inputs.map(({ name }) => name);
    const where = `its inputs: ${names.join(", ")}`;
    const unknown = Object.keys(given).find((name) => name !== "attention_mask" && !names.includes(name));
    if (unknown !== undefined) {
      throw generateError("generate.prompt", { what: `The encoder takes no \`${unknown}\``, where });
    }
    const leaves = this.#model.inputs.map(({ name, type }) => {
      if (type.kind === "constant") return type.value;
      if (inputs.has(name)) return inputs.get(name);
      throw generateError("generate.prompt", {
        what: `The encoder takes \`${name}\`, which is not given`,
        where,
        advice: "give it in the option `encoderInputs`",
      });
    });
    const results = await this.#model.runFlat(leaves, signal === undefined ? {} : { signal });
    const values = new Map<string, Value>();
    for (const [at, { name }] of this.#model.outputs.entries()) {
      // A module that returns one tensor instead of a dataclass returns this one.
      const own = name === "output" ? "last_hidden_state" : name.replace(/^output\./, "");
      values.set(`encoder_outputs.${own}`, results[at]!);
    }
    const mask = inputs.get("attention_mask") as Value | undefined;
    if (mask !== undefined) values.set("attention_mask", mask);
    return { values, free: () => results.forEach(free) };
  }

  async dispose(): Promise<void> {
    await this.#model.dispose();
  }
}

/** Inputs by name, with tokens as a tensor. As in transformers, a text without a mask is there as a whole. */
function completed(given: EncoderInputs): ReadonlyMap<string, unknown> {
  const { input_ids: ids, attention_mask: mask } = given;
  const tokens = Array.isArray(ids) ? tensor("int64", [1, ids.length], ids) : (ids as Partial<Tensor> | undefined);
  const shape = tokens?.shape;
  const inputs = new Map(Object.entries(given));
  if (tokens !== undefined) inputs.set("input_ids", tokens);
  if (mask === undefined && shape !== undefined) {
    inputs.set("attention_mask", ones(shape, { dtype: "int64" }));
  }
  return inputs;
}

function free(value: Value): void {
  (value as Partial<Tensor> | null)?.dispose?.();
}
