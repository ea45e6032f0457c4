import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { Tokenizer } from "@huggingface/tokenizers";
import { type GenerateOptions, type LanguageModel, loadLanguageModel, streamText } from "@pt2/generate";
import { BACKEND_OPTIONS, chooseBackend, SEED_OPTION, seedOf } from "../backends.ts";
import { cliError, usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { CONFIG_OPTION } from "../load-config.ts";
import { importOptional } from "../optional-package.ts";
import type { Options } from "../options.ts";
import { plural, timeText } from "../report/text.ts";
import { readTensorFile } from "../tensors/tensor-file.ts";
import { ProgressBar } from "../terminal/progress.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { OPS_OPTION, userOps } from "../user-ops.ts";

const TOKENIZERS = "@huggingface/tokenizers";

/** `pt2 generate` */
export const generate: Command = {
  name: "generate",
  summary: "continue a text with a language model that transformers exported",
  operands: ["FOLDER", "PROMPT"],
  options: [
    { name: "tokens", help: "PROMPT is tokens, such as 1,5,9, and tokens are printed: no tokenizer is needed" },
    {
      name: "max-new-tokens",
      value: "N",
      help: "tokens after which the text ends; default: as the folder says, or 20",
    },
    {
      name: "encoder-inputs",
      value: "IN",
      help: "what an encoder reads, as .safetensors or .npz, by name; PROMPT is how the text begins then, or empty",
    },
    { name: "do-sample", help: "draw tokens at random; else each is the most probable one" },
    { name: "temperature", value: "T", help: "logits are divided by it" },
    { name: "top-k", value: "K", help: "draw from the K most probable tokens; 0: from all" },
    { name: "top-p", value: "P", help: "draw from the fewest tokens that have this probability together" },
    { name: "min-p", value: "P", help: "draw from tokens with this share of the probability of the most probable one" },
    { name: "repetition-penalty", value: "R", help: "logits of tokens in the text are divided by it" },
    SEED_OPTION,
    ...BACKEND_OPTIONS,
    OPS_OPTION,
    CONFIG_OPTION,
  ],
  notes: [
    "FOLDER is what export_for_generation(…).save_pretrained(folder) of transformers wrote, with the tokenizer of",
    `tokenizer.save_pretrained(folder), which ${TOKENIZERS} reads. Settings that are left out are those of the folder.`,
    "Of a model with an encoder PROMPT is what that reads.",
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const settings = settingsOf(options);
    const tokenizer = options.flag("tokens") ? null : await tokenizerOf(options.file);
    const given = options.operands[1]!;
    const file = options.path("encoder-inputs");
    const read = file === undefined ? undefined : Object.fromEntries(await readTensorFile(file));
    const special = { add_special_tokens: read === undefined };
    const prompt = given === "" ? [] : tokenizer === null ? tokensOf(given) : tokenizer.encode(given, special).ids;
    const own = await userOps(options);
    const backend = await chooseBackend(options, terminal);
    const bar = new ProgressBar(terminal);
    try {
      const loaded = loadLanguageModel(options.file, { backend, ...own, onProgress: bar.update });
      await using model = await loaded.finally(() => bar.end());
      const isRead = model.encoderInputs !== null && read === undefined;
      const encoderInputs = isRead ? { input_ids: prompt } : read;
      const call = encoderInputs === undefined ? settings : { ...settings, encoderInputs };
      const written = new Written(model, isRead ? [] : prompt, call);
      const isJson = options.flag("json");
      const print = (text: string): void => (isJson ? undefined : terminal.out(text));
      if (tokenizer === null) {
        let separator = "";
        for await (const token of written) {
          print(`${separator}${token}`);
          separator = ",";
        }
      } else for await (const text of streamText(written, tokenizer)) print(text);
      print("\n");
      const text = tokenizer?.decode([...written.tokens], { skip_special_tokens: true });
      const { tokens, end, promptMs, tokenMs } = written;
      if (isJson)
        terminal.out(toJsonText({ prompt, tokens, ...(text !== undefined && { text }), end, promptMs, tokenMs }));
      else terminal.err(`${plural(prompt.length, "token")} ${written}\n`);
      return 0;
    } finally {
      await backend.dispose();
    }
  },
};

/** The tokens of a text, with the time that they took. */
class Written implements AsyncIterable<number> {
  readonly tokens: number[] = [];
  end = "";
  /** The time to the first token, in milliseconds. */
  promptMs = 0;
  /** The mean time of a further token, in milliseconds. */
  tokenMs = 0;
  readonly #model: LanguageModel;
  readonly #prompt: readonly number[];
  readonly #settings: GenerateOptions;

  constructor(model: LanguageModel, prompt: readonly number[], settings: GenerateOptions) {
    this.#model = model;
    this.#prompt = prompt;
    this.#settings = settings;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<number> {
    const begin = performance.now();
    const text = this.#model.generate(this.#prompt, this.#settings);
    let step = await text.next();
    this.promptMs = performance.now() - begin;
    for (; step.done !== true; step = await text.next()) {
      this.tokens.push(step.value);
      yield step.value;
    }
    this.end = step.value;
    const further = this.tokens.length - 1;
    if (further > 0) this.tokenMs = (performance.now() - begin - this.promptMs) / further;
  }

  toString(): string {
    const read = `read in ${timeText(this.promptMs)}`;
    return `${read}, ${plural(this.tokens.length, "token")} written, ${timeText(this.tokenMs)} each`;
  }
}

function settingsOf(options: Options): GenerateOptions {
  const seed = seedOf(options);
  const numbers = {
    maxNewTokens: options.number("max-new-tokens"),
    temperature: options.number("temperature"),
    topK: options.number("top-k"),
    topP: options.number("top-p"),
    minP: options.number("min-p"),
    repetitionPenalty: options.number("repetition-penalty"),
  };
  const given = Object.entries(numbers).filter(([, value]) => value !== undefined);
  return {
    ...Object.fromEntries(given),
    ...(options.flag("do-sample") && { doSample: true }),
    ...(seed !== undefined && { seed }),
  };
}

function tokensOf(text: string): readonly number[] {
  const tokens = text.split(",").map((each) => (/^\s*\d+\s*$/.test(each) ? Number(each) : Number.NaN));
  if (tokens.every(Number.isSafeInteger)) return tokens;
  throw usageError(`"${text}" is no list of tokens`, "pt2 generate folder 1,5,9 --tokens");
}

async function tokenizerOf(folder: string): Promise<InstanceType<typeof Tokenizer>> {
  const own = () => import("@huggingface/tokenizers");
  const { Tokenizer } = await importOptional(TOKENIZERS, own, { entry: TOKENIZERS });
  const json = async (name: string): Promise<object> => {
    try {
      if (!/^https?:/.test(folder)) return JSON.parse(await readFile(join(folder, name), "utf8"));
      const response = await fetch(`${folder.replace(/\/$/, "")}/${name}`);
      if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
      return (await response.json()) as object;
    } catch (cause) {
      throw cliError("cli.inputs", {
        what: `${name} cannot be read: ${(cause as Error).message}`,
        where: folder,
        advice: "write it with `tokenizer.save_pretrained(folder)` of transformers, or give tokens: --tokens",
        cause,
      });
    }
  };
  const [tokenizer, config] = await Promise.all(["tokenizer.json", "tokenizer_config.json"].map(json));
  return new Tokenizer(tokenizer!, config!);
}
