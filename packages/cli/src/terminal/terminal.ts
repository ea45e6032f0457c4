/** The output streams of a command. */
export interface Terminal {
  /** Writes results to stdout. */
  out(text: string): void;
  /** Writes everything else to stderr. */
  err(text: string): void;
  /** Whether stderr is a terminal on which lines can be redrawn. */
  readonly interactive: boolean;
  /** Whether stdout shows colors. @default false */
  readonly colors?: boolean;
  /** The width of stdout in characters; undefined where it is no terminal. */
  readonly columns?: number | undefined;
}

/** Formats a result as JSON: large integers and non-finite numbers become strings. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return Number.isSafeInteger(Number(item)) ? Number(item) : String(item);
    if (typeof item === "number" && !Number.isFinite(item)) return String(item);
    return item instanceof Map ? Object.fromEntries(item) : item;
  });
  return `${text}\n`;
}
