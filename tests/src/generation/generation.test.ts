import { readFileSync } from "node:fs";
import { type Backend, watchTensors } from "@pt2/backend";
import { webgpu } from "@pt2/backend-webgpu/node";
import { type GenerateOptions, loadLanguageModel } from "@pt2/generate";
import { tensor } from "@pt2/runtime";
import { beforeAll, describe, expect, it } from "vitest";
import { missingWebgpu, testedBackends } from "../backends.ts";
import { fixturePath } from "../fixture.ts";

/** What `generate` of transformers made of a model, with settings that have Python's names. */
interface Expected {
  /** The folder of the model, where it is not the name of what is expected. */
  readonly folder?: string;
  readonly prompt: readonly number[];
  /** What the encoder reads, by name. */
  readonly encoder?: Readonly<Record<string, { readonly shape: readonly number[]; readonly data: readonly number[] }>>;
  readonly texts: readonly {
    readonly settings: Readonly<Record<string, unknown>>;
    readonly tokens: readonly number[];
  }[];
}

const EXPECTED: Readonly<Record<string, Expected>> = JSON.parse(
  readFileSync(fixturePath("language/expected.json"), "utf8"),
);
/** The end token of all of them, which transformers has from `config.json`. */
const END = 3;

for (const { name, missing, create, precision = "fast" } of await testedBackends()) {
  describe.skipIf(missing !== null)(
    `language models on ${name}${missing === null ? "" : ` (skipped: ${missing})`}`,
    () => {
      let backend: Backend;
      beforeAll(async () => {
        backend = await create();
      });

      it.each(Object.keys(EXPECTED))("%s gives the tokens of transformers", async (model) => {
        const { folder = model, prompt, encoder, texts } = EXPECTED[model]!;
        const inputs = encoder && { encoderInputs: inputsOf(encoder) };
        await using language = await loadLanguageModel(fixturePath(`language/${folder}`), { backend, precision });
        for (const { settings, tokens } of texts) {
          const text = language.generate(prompt, { ...inputs, ...optionsOf(settings), eosTokenId: END, seed: 11 });
          expect(await collected(text), JSON.stringify(settings)).toEqual(tokens);
        }
      });
    },
  );
}

const missing = await missingWebgpu();
describe.skipIf(missing !== null)(`tensors on a device${missing === null ? "" : ` (skipped: ${missing})`}`, () => {
  it.each(["rhyme", "growing", "whole/model.pt2", "relative"])(
    "texts of %s that end early leave no tensor on the device",
    async (model) => {
      const inputs = model === "relative" && { encoderInputs: { input_ids: [5, 40, 17] } };
      await using backend = await webgpu({ outputs: "device" });
      const language = await loadLanguageModel(fixturePath(`language/${model}`), { backend });
      using watch = watchTensors();
      for (let i = 0; i < 40; i++) {
        const stop = new AbortController();
        const text = language.generate([5, 9, 33, i], {
          ...inputs,
          signal: stop.signal,
          doSample: i % 2 === 0,
          maxNewTokens: 9,
        });
        let count = 0;
        try {
          for await (const _ of text) {
            count++;
            if (i % 3 === 1 && count === 2) break;
            if (i % 3 === 2 && count === 4) stop.abort(new Error("enough"));
          }
        } catch (problem) {
          expect(problem).toEqual(new Error("enough"));
        }
      }
      expect(watch.report()).toBe("no live tensors");
      await language.dispose();
    },
  );
});

function inputsOf(encoder: NonNullable<Expected["encoder"]>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(encoder).map(([name, { shape, data }]) => [
      name,
      name === "input_ids" ? data : tensor(name === "attention_mask" ? "int64" : "float32", shape, data),
    ]),
  );
}

async function collected(text: AsyncIterable<number>): Promise<readonly number[]> {
  const tokens: number[] = [];
  for await (const token of text) tokens.push(token);
  return tokens;
}

function optionsOf(settings: Expected["texts"][number]["settings"]): GenerateOptions {
  return Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}
