/** What turns tokens into text, such as a `Tokenizer` of `@huggingface/tokenizers`. */
export interface TokenDecoder {
  /** Returns the text of tokens. Of a character whose bytes are not all there it returns U+FFFD. */
  decode(tokens: number[], options?: { readonly skip_special_tokens?: boolean }): string;
}

/**
 * Yields the text of tokens piece by piece, each as soon as it is certain: not before the last byte of a character, and with
 * the spaces that a tokenizer puts between words. Special tokens have no text.
 */
export async function* streamText(
  tokens: AsyncIterable<number> | Iterable<number>,
  tokenizer: TokenDecoder,
): AsyncGenerator<string, void, undefined> {
  // Tokenizers refuse no tokens at all.
  const decode = (some: readonly number[]): string =>
    some.length === 0 ? "" : tokenizer.decode([...some], { skip_special_tokens: true });
  // The tokens of the piece before the next one: what a tokenizer makes of a token may depend on the one before it.
  let before: readonly number[] = [];
  let open: readonly number[] = [];
  const rest = (): string => decode([...before, ...open]).slice(decode(before).length);
  for await (const token of tokens) {
    open = [...open, token];
    const piece = rest();
    if (piece === "" || piece.endsWith("\uFFFD")) continue;
    yield piece;
    [before, open] = [open, []];
  }
  const last = rest();
  if (last !== "") yield last;
}
