import { Pt2Error, type Pt2ErrorParts } from "@pt2/format";

/** Error codes of finding, building and loading libtorch, with their meaning. */
export const INSTALL_ERRORS = {
  "libtorch.node-entry": "the package was imported into a page, and needs Node",
  "libtorch.not-found": "no usable libtorch is on this machine; every place that was looked at is listed",
  "libtorch.platform": "the native module is not built for this operating system",
  "libtorch.no-compiler": "the native module has to be compiled and there is no C++ compiler",
  "libtorch.no-nvcc": "kernels for CUDA have to be compiled and there is no nvcc that fits libtorch",
  "libtorch.build-failed": "the native module could not be compiled; the compiler's last lines are kept",
  "libtorch.load-failed": "the native module or a library of libtorch could not be loaded",
  "libtorch.two-libtorchs": "this process has already loaded another libtorch",
  "libtorch.install-failed": "libtorch could not be downloaded or unpacked",
  "libtorch.checksum": "a downloaded file is not what its index promised",
  "libtorch.lock": "another process has held the lock of the cache folder for too long",
} as const;

/** A code of {@link INSTALL_ERRORS}. */
export type InstallErrorCode = keyof typeof INSTALL_ERRORS;

/** Makes an error whose code is in the table. */
export function installError(code: InstallErrorCode, parts: Pt2ErrorParts): Pt2Error {
  return new Pt2Error(code, parts);
}

/** Numbers lines, and indents them below the label that an error puts before them. */
export function numbered(lines: readonly string[]): string {
  return lines.map((line, i) => `\n    ${i + 1}. ${line}`).join("");
}
