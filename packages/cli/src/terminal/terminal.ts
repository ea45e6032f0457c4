/** Where a command writes. */
export interface Terminal {
  /** Results: stdout. */
  out(text: string): void;
  /** Everything else: stderr. */
  err(text: string): void;
  /** Whether stderr shows lines that are drawn over. */
  readonly interactive: boolean;
  /** Whether stdout shows colours. @default false */
  readonly colours?: boolean;
}

/** A JSON document of a result: large integers and non-finite numbers as strings. */
export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value, (_, item: unknown) => {
    if (typeof item === "bigint") return Number.isSafeInteger(Number(item)) ? Number(item) : String(item);
    if (typeof item === "number" && !Number.isFinite(item)) return String(item);
    return item instanceof Map ? Object.fromEntries(item) : item;
  });
  return `${text}\n`;
}
