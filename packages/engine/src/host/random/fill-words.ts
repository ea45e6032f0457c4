import type { CpuGenerator } from "@pt2/backend";

/** Makes whole blocks of numbers from the state of MT19937, which it brings up to date: where the first belongs, and how many there are. */
export type MakeBlocks = (state: Int32Array, first: number, count: number) => void;

/** Draws 32 bits for each element: the generator's next numbers, of which `make` may make many at once. */
export function fillWords({ bits }: CpuGenerator, words: Uint32Array, make?: MakeBlocks): void {
  const size = bits.state.length;
  for (let at = 0; at < words.length; ) {
    if (make !== undefined && bits.used === size && at + size <= words.length) {
      const blocks = Math.floor((words.length - at) / size);
      make(bits.state, at, blocks);
      at += blocks * size;
    } else words[at++] = bits.next();
  }
}
