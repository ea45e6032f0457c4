// Random programs of complex numbers, whose results are known.
import { randomUnit } from "./random.ts";

export type Complex = readonly [re: number, im: number];

/**
 * A value of a random program: its name and type in the text, and its elements by coordinates, of which it takes the
 * last.
 */
export interface Known {
  readonly name: string;
  readonly shape: readonly number[];
  readonly complex: boolean;
  readonly at: (coordinates: readonly number[]) => Complex;
  /** A bound of its magnitude. */
  readonly size: number;
}

/** Returns elements of an input, which are few and exact. */
export const complexElement = (i: number): number => (((i * 7) % 13) - 6) / 4;

function inputOf(name: string, shape: readonly number[], complex: boolean): Known {
  const at = (coordinates: readonly number[]): Complex => {
    const own = coordinates.slice(coordinates.length - shape.length);
    const i = own.reduce((index, c, d) => index * shape[d]! + (shape[d] === 1 ? 0 : c), 0);
    return complex ? [complexElement(2 * i), complexElement(2 * i + 1)] : [complexElement(i), 0];
  };
  return { name, shape, complex, at, size: 2.2 };
}

const TWO: Readonly<Record<string, (x: Complex, y: Complex) => Complex>> = {
  "aten::add.Tensor": ([a, b], [c, d]) => [a + c, b + d],
  "aten::sub.Tensor": ([a, b], [c, d]) => [a - c, b - d],
  "aten::mul.Tensor": ([a, b], [c, d]) => [a * c - b * d, a * d + b * c],
};
const ONE: Readonly<Record<string, (x: Complex) => Complex>> = {
  "aten::neg": ([a, b]) => [-a, -b],
  "aten::conj": ([a, b]) => [a, -b],
  "aten::abs": ([a, b]) => [Math.hypot(a, b), 0],
  "aten::real": ([a]) => [a, 0],
};

/** A program of random ops on complex and real tensors, with its last value. */
export interface ComplexProgram {
  readonly text: string;
  readonly result: Known;
  readonly inputs: readonly Known[];
}

/** Makes a random program. */
export function complexProgram(seed: number): ComplexProgram {
  const unit = randomUnit(seed);
  const random = <T>(list: readonly T[]): T => list[Math.floor(unit() * list.length)]!;
  // Some rows are whole vectors, some begin in the middle of one, and some have none.
  const n = [4, 6, 5][seed % 3]!;
  const inputs = [inputOf("a", [3, 1, n], true), inputOf("b", [2, n], true), inputOf("r", [n], false)];
  const values: Known[] = [...inputs];
  const lines = inputs.map(({ name, shape, complex }) => `user_input %${name}: ${complex ? "c64" : "f32"}[${shape}]`);
  for (let line = 0; line < 7; line++) {
    const complexes = values.filter(({ complex }) => complex);
    const op = random([...Object.keys(TWO), ...Object.keys(TWO), ...Object.keys(ONE)]);
    const [x, y] = [random(line % 2 === 0 ? complexes.slice(-2) : values), random(values)];
    const two = TWO[op];
    const name = `v${line}`;
    if (two !== undefined) {
      const shape = broadcast(x.shape, y.shape);
      const complex = x.complex || y.complex;
      const size = op === "aten::mul.Tensor" ? x.size * y.size : x.size + y.size;
      values.push({ name, shape, complex, size, at: (c) => two(x.at(c), y.at(c)) });
      lines.push(`%${name}: ${complex ? "c64" : "f32"}[${shape}] = ${op}(self=%${x.name}, other=%${y.name})`);
    } else {
      const complex = x.complex && op !== "aten::abs" && op !== "aten::real";
      values.push({ name, shape: x.shape, complex, size: x.size, at: (c) => ONE[op]!(x.at(c)) });
      lines.push(`%${name}: ${complex ? "c64" : "f32"}[${x.shape}] = ${op}(self=%${x.name})`);
    }
  }
  const result = values.at(-1)!;
  return { text: [...lines, `return %${result.name}`].join("\n"), result, inputs };
}

function broadcast(a: readonly number[], b: readonly number[]): readonly number[] {
  const rank = Math.max(a.length, b.length);
  return Array.from({ length: rank }, (_, d) => Math.max(a[d + a.length - rank] ?? 1, b[d + b.length - rank] ?? 1));
}

/** The parts of a program's inputs, one after the other. */
export function inputElements({ shape, complex }: Known): Float32Array<ArrayBuffer> {
  const length = shape.reduce((product, n) => product * n, complex ? 2 : 1);
  return Float32Array.from({ length }, (_, i) => complexElement(i));
}

/** The largest error of a program's result, relative to the bound of its magnitude. */
export function worstPart({ shape, complex, at, size }: Known, data: ArrayLike<unknown>): number {
  const count = shape.reduce((product, n) => product * n, 1);
  let worst = 0;
  for (let i = 0; i < count; i++) {
    const coordinates = shape.map((n, d) => Math.floor(i / shape.slice(d + 1).reduce((x, y) => x * y, 1)) % n);
    const want = at(coordinates);
    const got = complex ? [data[2 * i], data[2 * i + 1]] : [data[i], 0];
    for (const part of [0, 1]) worst = Math.max(worst, Math.abs(Number(got[part]) - want[part]!) / size);
  }
  return worst;
}
