import { fillWords, generatorOf } from "@pt2/engine/host";
import type { KernelCall } from "../../engine/kernel.ts";
import { onDemandModule } from "../../engine/on-demand-module.ts";
import { kernelsBase64, type RandomKernels } from "./random.gen.ts";

/** Numbers that the generator's state has. */
const STATE_BYTES = 4 * 624;

/** Returns the functions of the module of random numbers, over the memory of a call's model. */
export const randomKernels: (call: KernelCall) => RandomKernels = onDemandModule(kernelsBase64);

/** Plans to draw 32 bits of the model's generator at a time. Inside a step, the result writes `count` of them to an address. */
export function planWords(call: KernelCall): (address: number, count: number) => void {
  const { mersenneBlocks } = randomKernels(call);
  const scratch = call.scratch(STATE_BYTES);
  return (address, count) => {
    const { u8 } = call.heap;
    const words = new Uint32Array(u8.buffer, address, count);
    fillWords(generatorOf(call.random), words, (state, first, blocks) => {
      const kept = new Int32Array(u8.buffer, scratch.handle, state.length);
      kept.set(state);
      mersenneBlocks(scratch.handle, blocks, address + 4 * first);
      state.set(kept);
    });
  };
}
