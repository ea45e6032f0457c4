/** A range of bytes of a file. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** The bytes that a response announces: from `start` to before `end`, of `total`. */
export interface ContentRange {
  readonly start: number;
  readonly end: number;
  readonly total: number;
}

/** Parses `Content-Range: bytes 0-99/1234`; returns undefined where it is absent or hidden from a page. */
export function contentRange({ headers }: Response): ContentRange | undefined {
  const [, first, last, total] = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(headers.get("content-range") ?? "") ?? [];
  return first === undefined ? undefined : { start: Number(first), end: Number(last) + 1, total: Number(total) };
}
