import { missingLibtorch, nativeModule } from "./libtorch.test-helper.ts";

/** Why tests that need a GPU are skipped here, to be appended to their names; empty where they run. */
export const missingCuda: string = missingLibtorch || withoutDevice();

function withoutDevice(): string {
  const { cuda } = nativeModule().addon.info();
  if (typeof cuda === "string") return ` (skipped: ${cuda})`;
  return cuda.devices.length > 0 ? "" : " (skipped: there is no NVIDIA GPU)";
}
