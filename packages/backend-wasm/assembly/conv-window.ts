// A window sliding over an NDHWC tensor. TypeScript writes it as 24 consecutive i32 words
// (src/conv/window.ts holds the same order); one and two spatial dimensions are padded in front with 1.
@unmanaged
export class Window {
  batch: i32;
  inChannels: i32;
  outChannels: i32;
  inD: i32;
  inH: i32;
  inW: i32;
  outD: i32;
  outH: i32;
  outW: i32;
  kernelD: i32;
  kernelH: i32;
  kernelW: i32;
  strideD: i32;
  strideH: i32;
  strideW: i32;
  padD: i32;
  padH: i32;
  padW: i32;
  dilationD: i32;
  dilationH: i32;
  dilationW: i32;
  /** Floats between neighboring pixels of the input: more than its channels where it is a slice of these. */
  inPixel: i32;
  /** Floats between neighboring pixels of the output, likewise. */
  outPixel: i32;
}

/** Work space of the kernels begins this many bytes after the window; 1 KB of it is enough for each. */
export const WORKSPACE: usize = 128;

/** First tap whose position `origin + tap * dilation` is not negative. */
@inline
export function firstTap(origin: i32, dilation: i32): i32 {
  return origin >= 0 ? 0 : (dilation - 1 - origin) / dilation;
}

/** One past the last of `taps` taps whose position lies before `size`. */
@inline
export function endTap(origin: i32, dilation: i32, size: i32, taps: i32): i32 {
  // Away from borders no division is needed.
  if (origin + (taps - 1) * dilation < size) return taps;
  return size <= origin ? 0 : (size - origin + dilation - 1) / dilation;
}

@inline
export function floats(count: i32): usize {
  return <usize>count << 2;
}

/** Copies `count` floats; short runs are the rule, so it stays in line instead of calling memory.copy. */
@inline
export function copyFloats(dst: usize, src: usize, count: i32): void {
  const end = dst + floats(count);
  if (count >= 4) {
    const last = end - 16;
    const tail = v128.load(src + floats(count) - 16);
    for (; dst < last; dst += 16, src += 16) v128.store(dst, v128.load(src));
    v128.store(last, tail);
  } else for (; dst < end; dst += 4, src += 4) store<f32>(dst, load<f32>(src));
}
