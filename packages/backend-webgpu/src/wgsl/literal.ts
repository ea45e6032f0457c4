const view = new DataView(new ArrayBuffer(4));

/** The greatest float32. */
export const FLOAT32_MAX: number = (2 - 2 ** -23) * 2 ** 127;

/**
 * Returns the WGSL of a float32, rounded from a double. Infinities, NaN and denormals go through bits and a call, since
 * a constant expression may not have them; so does -0, whose sign compilers lose.
 */
export function f32Literal(value: number): string {
  const single = Math.fround(value);
  if (Number.isFinite(single) && (Math.abs(single) >= 2 ** -126 || Object.is(single, 0))) {
    // Nine digits distinguish any two floats, but may be more than the greatest one.
    const short = Number(single.toPrecision(9));
    return `${Math.abs(short) > FLOAT32_MAX ? single : short}f`;
  }
  view.setFloat32(0, single);
  return `f32_bits(0x${view.getUint32(0).toString(16)}u)`;
}

/** Returns the WGSL of an int32. */
export function i32Literal(value: number): string {
  return `i32(${value})`;
}

/** Returns the WGSL of c[0] + c[1] x + c[2] x² + … by Horner's rule. */
export function polynomial(x: string, coefficients: readonly number[]): string {
  const [last, ...rest] = coefficients.toReversed().map((c) => f32Literal(c));
  return rest.reduce((sum, c) => `(${sum} * ${x} + ${c})`, last as string);
}
