/** A libtorch on this machine: headers and libraries of one build of PyTorch. */
export interface Libtorch {
  /** The folder that holds `include` and `lib`. */
  readonly path: string;
  /** The version as PyTorch writes it: `2.13.0+cpu`. */
  readonly version: string;
  /** The devices that this build can use: only the CPU, or CUDA too. */
  readonly build: "cpu" | "cuda";
  /** The value of `_GLIBCXX_USE_CXX11_ABI` of its C++ libraries. */
  readonly cxx11Abi: boolean;
}

/** The oldest release that the native module compiles against. */
export const OLDEST_VERSION = "2.6";
/** The newest release that the native module was tested with; it may work with later ones. */
export const NEWEST_VERSION = "2.15";
/** The release that `pt2 libtorch install` installs. */
export const DEFAULT_VERSION = "2.13.0";

/**
 * Compares versions: negative, zero or positive as `a` is before, equal to or after `b`; local parts such as `+cpu` do
 * not
 * count.
 */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [numbersOf(a), numbersOf(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function numbersOf(version: string): readonly number[] {
  return /^\d+(?:\.\d+)*/.exec(version)?.[0].split(".").map(Number) ?? [];
}
