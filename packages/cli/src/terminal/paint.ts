import type { Terminal } from "./terminal.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33 } as const;

/** Colors a piece of text. */
export type Paint = (style: keyof typeof CODES, text: string) => string;

/** Creates a function that colors text for a terminal with colors, and returns text unchanged elsewhere. */
export function painter({ colors = false }: Pick<Terminal, "colors">): Paint {
  return (style, text) => (colors ? `\u001b[${CODES[style]}m${text}\u001b[0m` : text);
}
