/** A memory that is this many times as large as what is wanted is not taken: a small model would hold it for long. */
const MOST_TIMES = 4;
/** What every model may take. */
const SMALL = 1 << 24;

let left: readonly WeakRef<WebAssembly.Memory>[] = [];

/**
 * Leaves a memory, which nothing reads or writes any more, to the models that come. V8 does not count memory that threads share:
 * where models came and went it saw no reason to collect, and the process grew by a memory for each. What it does collect
 * is gone from here too.
 */
export function leaveMemory(memory: WebAssembly.Memory): void {
  left = [...alive().map((known) => new WeakRef(known)), new WeakRef(memory)];
}

/** Returns a memory of zeros that was left, the smallest with room for `bytes`, or else the largest; undefined if none is fit. */
export function takeMemory(bytes: number): WebAssembly.Memory | undefined {
  const most = MOST_TIMES * Math.max(bytes, SMALL);
  const fit = alive()
    .filter(({ buffer }) => buffer.byteLength <= most)
    .sort((a, b) => a.buffer.byteLength - b.buffer.byteLength);
  const taken = fit.find(({ buffer }) => buffer.byteLength >= bytes) ?? fit.at(-1);
  if (taken === undefined) return undefined;
  left = left.filter((each) => each.deref() !== taken);
  new Uint8Array(taken.buffer).fill(0);
  return taken;
}

function alive(): WebAssembly.Memory[] {
  return left.flatMap((each) => each.deref() ?? []);
}
