import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type {} from "./generation/main.ts";
import { describePage } from "./page.ts";

const APP = "tests/browser/generation";
const EXPECTED = JSON.parse(
  readFileSync(new URL("../fixtures/language/expected.json", import.meta.url), "utf8"),
) as Readonly<Record<string, { readonly prompt: number[]; readonly texts: readonly { readonly tokens: number[] }[] }>>;

for (const name of ["wasm", "webgpu"] as const) {
  describePage(`text of a page, on ${name}`, { webgpu: name === "webgpu", app: APP, sources: true }, (ready) => {
    // The address of a folder is that of a static cache, of one that grows, and of a model that reads the whole text each time.
    test.each(["rhyme", "growing/", "whole/model.pt2"])("%s gives the tokens of transformers", async (model) => {
      const { prompt, texts } = EXPECTED[model.replace(/\/$/, "")]!;
      const tokens = await ready.page.evaluate(
        async ({ name, model, prompt, count }) => {
          const { loadLanguageModel, ...backends } = globalThis.generation;
          const backend = await backends[name]();
          const language = await loadLanguageModel(`/fixtures/language/${model}`, { backend });
          const tokens: number[] = [];
          for await (const token of language.generate(prompt, { maxNewTokens: count, eosTokenId: 3 }))
            tokens.push(token);
          await language.dispose();
          await backend.dispose();
          return tokens;
        },
        { name, model, prompt, count: texts[0]!.tokens.length },
      );
      expect(tokens).toEqual(texts[0]!.tokens);
    });

    test("a text streams into the page, and a folder that is not there is an error", async () => {
      const [pieces, refused] = await ready.page.evaluate(async (name) => {
        const { loadLanguageModel, streamText, ...backends } = globalThis.generation;
        const backend = await backends[name]();
        const language = await loadLanguageModel(new URL("/fixtures/language/rhyme", location.href), { backend });
        const letters = { decode: (tokens: readonly number[]) => String.fromCharCode(...tokens) };
        const pieces: string[] = [];
        for await (const piece of streamText(language.generate([82, 111, 119]), letters)) {
          pieces.push(piece);
          if (pieces.length === 10) break;
        }
        await language.dispose();
        const none = await loadLanguageModel("/fixtures/nothing", { backend }).catch(
          (error) => `${error.code}: ${error.what}`,
        );
        await backend.dispose();
        return [pieces, none] as const;
      }, name);
      expect(pieces).toEqual([...", row, row"]);
      expect(refused).toBe("generate.folder: There is no export.json");
    });
  });
}
