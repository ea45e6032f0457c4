/** A complex number. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

export const ZERO: Complex = { re: 0, im: 0 };
export const ONE: Complex = { re: 1, im: 0 };

export function complex(re: number, im = 0): Complex {
  return { re, im };
}

export function plus(x: Complex, y: Complex): Complex {
  return { re: x.re + y.re, im: x.im + y.im };
}

export function minus(x: Complex, y: Complex): Complex {
  return { re: x.re - y.re, im: x.im - y.im };
}

export function times(x: Complex, y: Complex): Complex {
  return { re: x.re * y.re - x.im * y.im, im: x.re * y.im + x.im * y.re };
}

export function scaled(x: Complex, factor: number): Complex {
  return { re: x.re * factor, im: x.im * factor };
}

/** Divides by Smith's method, whose intermediate results do not overflow. */
export function over(x: Complex, y: Complex): Complex {
  if (y.im === 0) return { re: x.re / y.re, im: x.im / y.re };
  if (Math.abs(y.re) >= Math.abs(y.im)) {
    const ratio = y.im / y.re;
    const below = y.re + y.im * ratio;
    return { re: (x.re + x.im * ratio) / below, im: (x.im - x.re * ratio) / below };
  }
  const ratio = y.re / y.im;
  const below = y.re * ratio + y.im;
  return { re: (x.re * ratio + x.im) / below, im: (x.im * ratio - x.re) / below };
}

export function conjugate({ re, im }: Complex): Complex {
  return { re, im: -im };
}

export function negative({ re, im }: Complex): Complex {
  return { re: -re, im: -im };
}

export function absolute({ re, im }: Complex): number {
  return im === 0 ? Math.abs(re) : Math.hypot(re, im);
}

/** The size by which LAPACK compares numbers: it is cheaper than the absolute value, and equals that of a real number. */
export function magnitude({ re, im }: Complex): number {
  return Math.abs(re) + Math.abs(im);
}

/** Returns the square root whose real part is not negative. */
export function squareRoot(x: Complex): Complex {
  const size = absolute(x);
  if (size === 0) return ZERO;
  const large = Math.sqrt((size + Math.abs(x.re)) / 2);
  const small = x.im / (2 * large);
  return x.re >= 0 ? { re: large, im: small } : { re: Math.abs(small), im: x.im < 0 ? -large : large };
}
