import { describe, expect, it } from "vitest";
import { completeSettings, settingsOf } from "./settings.ts";

describe("settings", () => {
  it("have the defaults of transformers, those of the model, and those of the call, in this order", () => {
    const model = settingsOf({ temperature: 0.6, top_k: null, eos_token_id: 5, do_sample: true }, "folder");
    const settings = completeSettings(model, { temperature: 0.9 });
    expect(settings).toMatchObject({ temperature: 0.9, topK: 50, eosTokenId: [5], doSample: true, maxNewTokens: 20 });
  });

  it.each([
    ["num_beams", 4],
    ["bad_words_ids", [[3]]],
    ["typical_p", 0.9],
    ["encoder_repetition_penalty", 1.2],
  ])("a file that asks for %s, which is not done, is refused", (name, value) => {
    expect(() => settingsOf({ [name]: value }, "folder/")).toThrow(
      expect.objectContaining({ code: "generate.folder", message: expect.stringContaining(`\`${name}\``) }),
    );
    expect(() => settingsOf({ num_beams: 1, typical_p: 1, bad_words_ids: null }, "folder/")).not.toThrow();
  });

  it.each([
    [{ maxNewTokens: 0 }, "`maxNewTokens` is 0, but must be an integer from 1 on"],
    [{ temperature: 0 }, "`temperature` is 0, but must be a number above 0"],
    [{ topP: 1.5 }, "`topP` is 1.5, but must be a number from 0 to 1"],
    [{ topK: -1 }, "`topK` is -1, but must be an integer from 0 on"],
    [{ eosTokenId: [1.5] }, "`eosTokenId` is [1.5], but must be a token or an array of tokens"],
    [{ minP: 2 }, "`minP` is 2, but must be a number from 0 to 1"],
  ])("%j is refused", (settings, message) => {
    expect(() => completeSettings({}, settings)).toThrow(
      expect.objectContaining({ code: "generate.options", message: expect.stringContaining(message) }),
    );
  });
});
