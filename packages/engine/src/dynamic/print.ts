import { type DynamicKernel, dynamicKernel } from "../staged/dynamic-kernel.ts";

/** `_print(s)`: a line for who runs the program, on the console of the thread that computes. */
export const print: DynamicKernel = dynamicKernel(["aten::_print"], ({ s }) => {
  console.info(s);
  return [];
});
