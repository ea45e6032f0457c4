import { KERNELS_BASE64 } from "./kernels.gen.ts";

/** The module with all kernels. */
export const MODULE: Uint8Array = Uint8Array.from(atob(KERNELS_BASE64), (char) => char.charCodeAt(0));
