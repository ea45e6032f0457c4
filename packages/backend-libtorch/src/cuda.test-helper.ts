import { it } from "vitest";
import { missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";

const problem = missingLibtorch === "" ? withoutDevice() : missingLibtorch;

/** Whether there is a GPU here, for which libtorch was built. */
export const hasGpu: boolean = problem === "";

/** Defines a test in the place of those that need a GPU, which says why they are not run. */
export function skipWithoutGpu(name: string): void {
  if (missingLibtorch !== "") it.skip(`${name}${missingLibtorch}`);
  else it(`${name} where there is a GPU`, ({ skip }) => skip(problem));
}

function withoutDevice(): string {
  const { cuda } = nativeModule().addon.info();
  if (typeof cuda === "string") return cuda;
  return cuda.devices.length > 0 ? "" : "There is no NVIDIA GPU.";
}
