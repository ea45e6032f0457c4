import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

/** A set of watched objects whose survivors can be counted after a garbage collection. */
export interface Watched {
  /** Watches an object, and returns it. */
  watch<T extends object>(object: T): T;
  /** Returns the number of objects that have not been collected. */
  alive(): Promise<number>;
}

/** Makes a watcher that holds only weak references. */
export function watchGarbage(): Watched {
  const refs: WeakRef<object>[] = [];
  return {
    watch(object) {
      refs.push(new WeakRef(object));
      return object;
    },
    async alive() {
      // A WeakRef that was created or read in a turn of the event loop keeps its object alive until that turn ends.
      await new Promise((resolve) => setImmediate(resolve));
      collect();
      return refs.filter((ref) => ref.deref() !== undefined).length;
    },
  };
}
