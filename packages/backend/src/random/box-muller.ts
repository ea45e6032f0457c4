// Normal numbers of float32 as PyTorch's vector code makes them on x86 processors: its logarithm, sine and cosine are those of
// Cephes (Moshier), whose products and sums are one operation, rounded once. A double holds a product of two floats exactly, and
// constants are written as the floats that they are.
const { fround, sqrt } = Math;

/** The number of elements that PyTorch transforms at once. */
export const BLOCK = 16;

/** The powers of two from 1 to 2^-24. */
const POWERS: Float64Array = Float64Array.from({ length: 25 }, (_, i) => 2 ** -i);

/** The logarithm of a number of 24 bits behind the point, from 2^-24 to 1. */
function logarithm(x: number): number {
  const digits = x * 2 ** 24;
  const length = 32 - Math.clz32(digits);
  const fraction = digits * POWERS[length]!;
  // From the root of a half to that of 2.
  const isLow = fraction < 0.7071067690849304;
  const exponent = isLow ? length - 25 : length - 24;
  const r = isLow ? fraction + fraction - 1 : fraction - 1;
  const square = fround(r * r);
  let y = fround(0.07037683576345444 * r - 0.11514610052108765);
  y = fround(y * r + 0.11676998436450958);
  y = fround(y * r - 0.12420140951871872);
  y = fround(y * r + 0.14249323308467865);
  y = fround(y * r - 0.16668057441711426);
  y = fround(y * r + 0.2000071406364441);
  y = fround(y * r - 0.24999994039535522);
  y = fround(y * r + 0.3333333134651184);
  y = fround(fround(y * r) * square + fround(exponent * -0.00021219444170128554));
  y = fround(y - square * 0.5);
  return fround(exponent * 0.693359375 + fround(r + y));
}

/** Makes eight pairs of normal numbers from 16 uniform ones, in place: the first eight give the radius, the others the angle. */
export function transformBlock(numbers: Float32Array, begin: number, mean: number, std: number): void {
  for (let i = begin, k = begin + BLOCK / 2; i < begin + BLOCK / 2; i++, k++) {
    const radius = fround(sqrt(fround(-2 * logarithm(1 - numbers[i]!))));
    const angle = fround(6.2831854820251465 * numbers[k]!);
    // Eighths of a turn, the odd ones rounded up, and a quarter of pi in three parts.
    const eighths = ((fround(angle * 1.2732394933700562) | 0) + 1) & ~1;
    let x = fround(angle - eighths * 0.78515625);
    x = fround(x - eighths * 0.00024187564849853516);
    x = fround(x - eighths * 3.774895063202166e-8);
    const square = fround(x * x);
    let cosine = fround(0.0000244331567955669 * square - 0.0013887316454201937);
    cosine = fround(cosine * square + 0.04166664555668831);
    cosine = fround(fround(fround(cosine * square) * square - fround(square * 0.5)) + 1);
    let sine = fround(-0.00019515295571181923 * square + 0.008332161232829094);
    sine = fround(sine * square - 0.16666655242443085);
    sine = fround(fround(sine * square) * x + x);
    const isSwapped = (eighths & 2) !== 0;
    const right = isSwapped ? sine : cosine;
    const above = isSwapped ? cosine : sine;
    numbers[i] = fround(radius * (((eighths + 2) & 4) === 0 ? right : -right)) * std + mean;
    numbers[k] = fround(radius * ((eighths & 4) === 0 ? above : -above)) * std + mean;
  }
}
