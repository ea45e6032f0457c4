import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** Counts of the objects among those that it watches that are still there after a collection. */
export interface Watched {
  /** Watches an object, and gives it back. */
  watch<T extends object>(object: T): T;
  /** How many are not collected. */
  alive(): Promise<number>;
}

/** Watches objects without holding them. */
export function watchGarbage(): Watched {
  const refs: WeakRef<object>[] = [];
  return {
    watch(object) {
      refs.push(new WeakRef(object));
      return object;
    },
    async alive() {
      // A reference that was made or read in a turn of the event loop holds its object to the end of that turn.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      return refs.filter((ref) => ref.deref() !== undefined).length;
    },
  };
}
