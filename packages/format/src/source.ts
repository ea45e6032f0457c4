/** How one read is made. */
export interface ReadOptions {
  readonly signal?: AbortSignal | undefined;
  /** Destination of at least the read's length; the result is then its beginning. */
  readonly into?: Uint8Array | undefined;
}

/** Random access to the bytes of a file, wherever it is. */
export interface ByteSource {
  readonly size: number;
  /** Shown in messages. */
  readonly name?: string;
  /**
   * Exactly `length` bytes from `offset`. Without `into` the result may be a view of the source's own memory: treat it
   * as read-only.
   */
  read(offset: number, length: number, options?: ReadOptions): Promise<Uint8Array>;
  close?(): Promise<void>;
}
