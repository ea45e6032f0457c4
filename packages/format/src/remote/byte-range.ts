/** A part of a file. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** What of a file an answer says that it brings: bytes from `start` to before `end`, of `total`. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
  readonly total: number;
}

/** From `Content-Range: bytes 0-99/1234`; undefined where there is none, or where a page may not see it. */
export function contentRange({ headers }: Response): ContentRange | undefined {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  return first === undefined ? undefined : { start: Number(first), end: Number(last) + 1, total: Number(total) };
}
