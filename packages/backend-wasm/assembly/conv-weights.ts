/**
 * Copies a strided array of five dimensions to `dst`, last dimension fastest: how weights are brought into the order
 * that a convolution multiplies in. Strides count elements.
 */
export function gather5(
  src: usize,
  n0: i32,
  n1: i32,
  n2: i32,
  n3: i32,
  n4: i32,
  s0: i32,
  s1: i32,
  s2: i32,
  s3: i32,
  s4: i32,
  dst: usize,
): void {
  const step = <isize>s4 << 2;
  for (let i0 = 0; i0 < n0; i0++) {
    for (let i1 = 0; i1 < n1; i1++) {
      for (let i2 = 0; i2 < n2; i2++) {
        for (let i3 = 0; i3 < n3; i3++) {
          let p = src + ((<isize>i0 * s0 + <isize>i1 * s1 + <isize>i2 * s2 + <isize>i3 * s3) << 2);
          for (let i4 = 0; i4 < n4; i4++, p += step, dst += 4) store<f32>(dst, load<f32>(p));
        }
      }
    }
  }
}
