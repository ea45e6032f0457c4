import { encodeModule } from "./codegen/encoder.ts";

let known: boolean | null = null;

/** Whether a multiplication and an addition may be one instruction: browsers since 2023, Node since 21. */
export function hasRelaxedSimd(): boolean {
  known ??= typeof WebAssembly !== "undefined" && WebAssembly.validate(moduleWithIt());
  return known;
}

function moduleWithIt(): Uint8Array<ArrayBuffer> {
  const zeros = [0x41, 0, 0xfd, 0x0f];
  const relaxedMadd = [0xfd, 0x85, 0x02];
  const code = [...zeros, ...zeros, ...zeros, ...relaxedMadd];
  const body = { signature: { params: [], results: ["v128"] as const }, locals: [], code };
  return encodeModule([], [body]);
}
