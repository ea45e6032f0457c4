/** What went wrong and what to do, as a sentence for the user. */
export function wordsFor(problem: unknown): string {
  if (!(problem instanceof Error)) return String(problem);
  const { what, advice } = problem as { readonly what?: string; readonly advice?: string };
  return what === undefined
    ? problem.message
    : [what, advice ?? ""]
        .filter((text) => text !== "")
        .map(sentence)
        .join(" ");
}

function sentence(text: string): string {
  const large = text.replace(/^[a-z]+(?=[ ,:;])/, (word) => word.replace(/^./, (letter) => letter.toUpperCase()));
  return /[.!?]$/.test(large) ? large : `${large}.`;
}
