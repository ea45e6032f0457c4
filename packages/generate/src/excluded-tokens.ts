import type { Settings } from "./settings.ts";

/**
 * Returns the tokens that may not come next, each once: end tokens before the least length, suppressed ones, and those that
 * would repeat a sequence of `noRepeatNgramSize` tokens. `text` is the prompt with the `created` tokens after it.
 */
export function excludedTokens(text: readonly number[], created: number, settings: Settings): readonly number[] {
  const { minNewTokens, eosTokenId, suppressTokens, beginSuppressTokens, noRepeatNgramSize: size } = settings;
  const excluded = new Set(suppressTokens);
  if (created < minNewTokens) for (const token of eosTokenId) excluded.add(token);
  if (created === 0) for (const token of beginSuppressTokens) excluded.add(token);
  if (size > 0) for (const token of repeated(text, size)) excluded.add(token);
  return [...excluded];
}

/** The tokens that followed before where the last `size - 1` tokens of the text came. */
function* repeated(text: readonly number[], size: number): Generator<number> {
  const prefix = text.length - (size - 1);
  for (let start = 0; start < prefix; start++) {
    let at = 0;
    while (at < size - 1 && text[start + at] === text[prefix + at]) at++;
    if (at === size - 1) yield text[start + at]!;
  }
}
