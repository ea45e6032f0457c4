import type { Terminal } from "./terminal.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** Colours a piece of text. */
export type Paint = (style: keyof typeof CODES, text: string) => string;

/** Creates a function that colours text for a terminal with colours, and returns text unchanged elsewhere. */
export function painter({ colours = false }: Pick<Terminal, "colours">): Paint {
  return (style, text) => (colours ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text);
}
