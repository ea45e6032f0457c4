/** The fields of a {@link Pt2Error}. */
export interface Pt2ErrorParts {
  /** What happened, one sentence without a full stop. */
  readonly what: string;
  /** Where it happened: an archive entry, a JSON path, an op with its module path and Python line. */
  readonly where?: string | undefined;
  /** What to do about it. */
  readonly advice?: string | undefined;
  /** The same facts as fields, for programs to read. */
  readonly details?: Readonly<Record<string, unknown>> | undefined;
  /** The error that this one follows from. */
  readonly cause?: unknown;
}

/** The error of every `@pt2` package: a stable `code`, and what happened, where, and what to do. */
export class Pt2Error extends Error {
  override readonly name = "Pt2Error";
  /** A stable code for programs, from the table of the package: `format.io`. */
  readonly code: string;
  /** What happened, one sentence without a full stop. */
  readonly what: string;
  /** Where it happened: an archive entry, a JSON path, an op with its module path and Python line. */
  readonly where: string | undefined;
  /** What to do about it. */
  readonly advice: string | undefined;
  /** The same facts as fields, for programs to read. */
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: string, parts: Pt2ErrorParts) {
    super(messageOf(parts), parts.cause === undefined ? undefined : { cause: parts.cause });
    this.code = code;
    this.what = parts.what;
    this.where = parts.where;
    this.advice = parts.advice;
    this.details = parts.details ?? {};
  }
}

function messageOf({ what, where, advice }: Pt2ErrorParts): string {
  return [what, where && `  where: ${where}`, advice && `  what to do: ${advice}`].filter(Boolean).join("\n");
}
