import type { Model } from "@pt2/runtime";
import { isPt2Error } from "../page/error-card.ts";

/**
 * Calls a model. Drivers restart and laptops sleep: when its device went away, the model is built again on another one,
 * and called once more.
 */
export async function onLiveDevice<T>(model: Model, call: () => Promise<T>, onLost?: () => void): Promise<T> {
  try {
    return await call();
  } catch (problem) {
    const isLost = isPt2Error(problem) && problem.code === "webgpu.device-lost";
    if (!isLost || model.recover === undefined) throw problem;
    onLost?.();
    await model.recover();
    return await call();
  }
}
