import { NotLoaded } from "@pt2/registry/on-demand";
import { addErrorLocation } from "./error-location.ts";
import type { OpKernel } from "./kernel-set.ts";

/** Returns a kernel that an op set brings, with what its `accepts` gives checked: a promise would count as "yes". */
export function packagedKernel<Kernel extends OpKernel>(kernel: Kernel): Kernel {
  const value = (args: Parameters<NonNullable<Kernel["accepts"]>>[0]): boolean => {
    try {
      return atOnce(kernel.accepts?.(args) ?? true);
    } catch (error) {
      if (error instanceof NotLoaded) throw error;
      throw addErrorLocation(error, [{ record: { name: kernel.ops.join(", ") }, packaged: true }]);
    }
  };
  // The kernel may be an object of a class.
  return Object.create(kernel, { accepts: { value }, unsigned: { value: true } });
}

/** Returns what a function of a kernel gives. Throws if that is a promise. */
export function atOnce<T>(given: T): T {
  if (!(given instanceof Promise)) return given;
  given.catch(() => {});
  throw new Error("a function of it returned a promise, which nothing waits for");
}
