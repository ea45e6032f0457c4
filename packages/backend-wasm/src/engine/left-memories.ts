let left: readonly WeakRef<WebAssembly.Memory>[] = [];

/**
 * Leaves a memory, which nothing reads or writes any more, to the models that come. V8 does not count memory that threads share:
 * where models came and went it saw no reason to collect, and the process grew by a memory for each. What it does collect
 * is gone from here too.
 */
export function leaveMemory(memory: WebAssembly.Memory): void {
  left = [...left.filter((each) => each.deref() !== undefined), new WeakRef(memory)];
}

/**
 * Returns a memory that was left, with what was in it: the smallest with room for `bytes`, or else the largest; undefined if
 * there is none.
 */
export function takeMemory(bytes: number): WebAssembly.Memory | undefined {
  const known = left.flatMap((each) => each.deref() ?? []).sort((a, b) => a.buffer.byteLength - b.buffer.byteLength);
  const taken = known.find(({ buffer }) => buffer.byteLength >= bytes) ?? known.at(-1);
  left = left.filter((each) => each.deref() !== taken);
  return taken;
}
