import { Pt2Error } from "@pt2/format";

/** An error as it crosses threads: a `Pt2Error` keeps its parts. */
export interface WireError {
  readonly code: string | null;
  readonly name: string;
  readonly message: string;
  readonly what?: string;
  readonly where?: string | undefined;
  readonly advice?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>>;
  readonly stack?: string | undefined;
}

export function toWireError(error: unknown): WireError {
  if (error instanceof Pt2Error) {
    const { code, name, message, what, where, advice, details, stack } = error;
    return { code, name, message, what, where, advice, details, stack };
  }
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
  return { code: null, name, message, stack };
}

export function fromWireError(wire: WireError): Error {
  if (wire.code !== null) {
    const { what = wire.message, where, advice, details } = wire;
    return new Pt2Error(wire.code, { what, where, advice, details });
  }
  if (wire.name === "AbortError") return new DOMException(wire.message, "AbortError");
  return Object.assign(new Error(wire.message), { name: wire.name, stack: wire.stack });
}
