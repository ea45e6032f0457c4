/** A libtorch on this machine: headers and libraries of one build of PyTorch. */
export interface Libtorch {
  /** Holds `include` and `lib`. */
  readonly path: string;
  /** As PyTorch writes it: `2.13.0+cpu`. */
  readonly version: string;
  /** Which devices this build can drive besides the CPU. */
  readonly build: "cpu" | "cuda";
  /** `_GLIBCXX_USE_CXX11_ABI` of its C++ libraries. */
  readonly cxx11Abi: boolean;
}
