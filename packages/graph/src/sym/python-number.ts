/** A Python number in JavaScript: `bigint` represents `int` (exact) and `number` represents `float`. */
export type PyNumber = bigint | number;

/** A Python value of a symbolic expression. */
export type PyValue = PyNumber | boolean;

/** Converts a literal to a Python number: integral numbers are ints, all others floats. */
export function fromLiteral(value: number | bigint): PyNumber {
  return typeof value === "number" && Number.isInteger(value) && !Object.is(value, -0) ? BigInt(value) : value;
}

/** Converts to the shortest exact JavaScript form: a `number`, or a `bigint` beyond ±(2^53 − 1). */
export function toLiteral(value: PyNumber): number | bigint {
  if (typeof value === "number") return value;
  const short = Number(value);
  return Number.isSafeInteger(short) ? short : value;
}

/** Converts booleans to ints: `True` is 1 in arithmetic. */
export function asNumber(value: PyValue): PyNumber {
  return typeof value === "boolean" ? BigInt(value) : value;
}

/** Implements Python's `float(x)`. */
export function toFloat(value: PyValue): number {
  return Number(value);
}

export function add(a: PyNumber, b: PyNumber): PyNumber {
  return typeof a === "bigint" && typeof b === "bigint" ? a + b : Number(a) + Number(b);
}

export function mul(a: PyNumber, b: PyNumber): PyNumber {
  return typeof a === "bigint" && typeof b === "bigint" ? a * b : Number(a) * Number(b);
}

/** Implements Python's `//`, which rounds towards minus infinity. */
export function floorDiv(a: PyNumber, b: PyNumber): PyNumber {
  refuseZero(b);
  if (typeof a !== "bigint" || typeof b !== "bigint") return Math.floor(Number(a) / Number(b));
  const quotient = a / b;
  return a % b !== 0n && a < 0n !== b < 0n ? quotient - 1n : quotient;
}

/** Implements Python's `%`, whose result has the divisor's sign. */
export function mod(a: PyNumber, b: PyNumber): PyNumber {
  refuseZero(b);
  if (typeof a === "bigint" && typeof b === "bigint") return a - (floorDiv(a, b) as bigint) * b;
  const [x, y] = [Number(a), Number(b)];
  const rest = x % y;
  return rest !== 0 && rest < 0 !== y < 0 ? rest + y : rest;
}

/**
 * Implements Python's `/`: the result is a float; the quotient of two ints is correctly rounded, however large they
 * are.
 */
export function trueDiv(a: PyNumber, b: PyNumber): number {
  refuseZero(b);
  if (typeof a !== "bigint" || typeof b !== "bigint") return Number(a) / Number(b);
  const [x, y] = [Number(a), Number(b)];
  if (Number.isSafeInteger(x) && Number.isSafeInteger(y)) return x / y;
  const [n, d] = [a < 0n ? -a : a, b < 0n ? -b : b];
  // 66 quotient bits and a sticky bit for the rest round like the exact quotient.
  const shift = Math.max(0, bits(d) - bits(n) + 66);
  const scaled = n << BigInt(shift);
  const quotient = (scaled / d) | BigInt(scaled % d !== 0n);
  const size = Number(quotient) * 2 ** -shift;
  return a < 0n === b < 0n ? size : -size;
}

/** Implements Python's `**`. An int to a negative power is a float; a complex or infinite result has no value. */
export function pow(a: PyNumber, b: PyNumber): PyNumber {
  return typeof a === "bigint" && typeof b === "bigint" && b >= 0n ? a ** b : finite(Number(a) ** Number(b), a, b);
}

/** Throws where finite numbers have a result that is none, as Python raises. */
export function finite(result: number, ...operands: readonly PyValue[]): number {
  if (Number.isFinite(result) || !operands.map(Number).every(Number.isFinite)) return result;
  throw new RangeError("no finite real number");
}

export function less(a: PyNumber, b: PyNumber): boolean {
  return a < b;
}

/** Throws on division by zero, as Python does for floats too. */
function refuseZero(divisor: PyNumber): void {
  if (Number(divisor) === 0) throw new RangeError("division by zero");
}

function bits(value: bigint): number {
  return value.toString(2).length;
}
