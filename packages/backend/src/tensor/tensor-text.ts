import { DTYPES, type DType, numel } from "@pt2/format";
import { type DataOf, elementAt } from "./elements.ts";

/** What {@link tensorText} needs of a tensor. */
interface Printable<D extends DType> {
  readonly dtype: D;
  readonly shape: readonly number[];
  readonly device: string;
  readonly data: DataOf<D> | null;
}

// The defaults of `torch.set_printoptions`.
const PRECISION = 4;
const THRESHOLD = 1000;
const EDGE_ITEMS = 3;
const LINE_WIDTH = 80;

const PREFIX = "tensor(";

/** The dtypes that PyTorch does not name where it shows elements, because literals have them. */
const UNNAMED: ReadonlySet<DType> = new Set(["float32", "int64", "bool", "complex64"]);

/** Prints a tensor as `str(tensor)` of PyTorch does (`torch/_tensor_str.py`, whose rules these are). */
export function tensorText<D extends DType>({ dtype, shape, device, data }: Printable<D>): string {
  const count = numel(shape);
  const suffixes = device === "host" ? [] : [`device='${device}'`];
  // PyTorch says the size where the elements do not.
  if (data === null || (count === 0 && shape.length !== 1)) {
    suffixes.push(`size=(${shape.join(", ")}${shape.length === 1 ? "," : ""})`);
  }
  const isKnown = data === null || count === 0 ? dtype === "float32" : UNNAMED.has(dtype);
  if (!isKnown) suffixes.push(`dtype=torch.${dtype}`);
  const elements = data === null ? "..." : count === 0 ? "[]" : new ElementsText(dtype, shape, data).text();
  return withSuffixes(PREFIX + elements, suffixes);
}

/** Puts suffixes on the last line, or on lines of their own where they do not fit. */
function withSuffixes(text: string, suffixes: readonly string[]): string {
  let result = text;
  let width = text.length - text.lastIndexOf("\n") + 1;
  for (const suffix of suffixes) {
    const isNewLine = width + suffix.length + 2 > LINE_WIDTH;
    result += isNewLine ? `,\n${" ".repeat(PREFIX.length)}${suffix}` : `, ${suffix}`;
    width = isNewLine ? PREFIX.length + suffix.length : width + suffix.length + 2;
  }
  return `${result})`;
}

/** The elements of a tensor as text, shortened to the first and last of each dimension where there are many. */
class ElementsText<D extends DType> {
  readonly #shape: readonly number[];
  readonly #shortened: boolean;
  readonly #format: (index: number) => string;
  readonly #width: number;

  constructor(dtype: D, shape: readonly number[], data: DataOf<D>) {
    this.#shape = shape;
    this.#shortened = numel(shape) > THRESHOLD;
    const shown = this.#shownIndices(0, 0);
    const numbers = data as ArrayLike<number>;
    if (DTYPES[dtype].kind === "complex") {
      const re = floatFormat(shown.map((index) => numbers[2 * index]!));
      const im = floatFormat(shown.map((index) => numbers[2 * index + 1]!));
      this.#format = (index) => complexText(re.format(numbers[2 * index]!), im.format(numbers[2 * index + 1]!));
      this.#width = re.width + im.width + 1;
    } else if (DTYPES[dtype].kind === "float") {
      const { format, width } = floatFormat(shown.map((index) => numbers[index]!));
      this.#format = (index) => format(numbers[index]!);
      this.#width = width;
    } else {
      const at = elementAt(dtype, data);
      const text = (index: number): string => {
        const element: unknown = at(index);
        return typeof element === "boolean" ? (element ? "True" : "False") : String(element);
      };
      this.#width = Math.max(1, ...shown.map((index) => text(index).length));
      this.#format = (index) => text(index).padStart(this.#width);
    }
  }

  text(): string {
    return this.#level(0, 0);
  }

  /** The positions along a dimension that are shown; null stands for those left out. */
  #positions(size: number): readonly (number | null)[] {
    const edge = Array.from({ length: EDGE_ITEMS }, (_, i) => i);
    return this.#shortened && size > 2 * EDGE_ITEMS
      ? [...edge, null, ...edge.map((i) => size - EDGE_ITEMS + i)]
      : Array.from({ length: size }, (_, i) => i);
  }

  /** The flat indices of the elements that are shown. */
  #shownIndices(dim: number, begin: number): readonly number[] {
    const size = this.#shape[dim];
    if (size === undefined) return [begin];
    return this.#positions(size).flatMap((at) =>
      at === null ? [] : this.#shownIndices(dim + 1, begin + at * this.#step(dim)),
    );
  }

  #step(dim: number): number {
    return numel(this.#shape.slice(dim + 1));
  }

  #level(dim: number, begin: number): string {
    const size = this.#shape[dim];
    if (size === undefined) return this.#format(begin);
    const indent = " ".repeat(PREFIX.length + dim + 1);
    const isLast = dim === this.#shape.length - 1;
    const parts = this.#positions(size).map((at) =>
      at === null ? (isLast ? " ..." : "...") : this.#level(dim + 1, begin + at * this.#step(dim)),
    );
    if (!isLast) return `[${parts.join(`,${"\n".repeat(this.#shape.length - dim - 1)}${indent}`)}]`;
    const perLine = Math.max(1, Math.floor((LINE_WIDTH - PREFIX.length - dim) / (this.#width + 2)));
    const lines = Array.from({ length: Math.ceil(parts.length / perLine) }, (_, i) =>
      parts.slice(i * perLine, (i + 1) * perLine).join(", "),
    );
    return `[${lines.join(`,\n${indent}`)}]`;
  }
}

function complexText(re: string, im: string): string {
  const imaginary = `${im.trimStart()}j`;
  return /^[+-]/.test(imaginary) ? re + imaginary : `${re}+${imaginary}`;
}

/** Chooses one format for floats: whole numbers with a dot, 4 decimals, or an exponent where sizes differ much. */
function floatFormat(values: readonly number[]): { format(value: number): string; width: number } {
  const counted = values.filter((value) => Number.isFinite(value) && value !== 0);
  const sizes = counted.map(Math.abs);
  const [smallest, largest] = [Math.min(...sizes), Math.max(...sizes)];
  const isWhole = counted.every(Number.isInteger);
  const hasExponent = counted.length > 0 && (largest / smallest > 1000 || largest > 1e8 || smallest < 1e-4);
  const text = (value: number): string => {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
    if (hasExponent) return exponential(value);
    return isWhole ? `${negativeZero(value)}${value}.` : negativeZero(value) + fixed(value);
  };
  const width = Math.max(1, ...counted.map((value) => text(value).length));
  return { format: (value) => text(value).padStart(width), width };
}

/** The sign that JavaScript leaves out. */
function negativeZero(value: number): string {
  return Object.is(value, -0) ? "-" : "";
}

/** `{:.4f}` of Python. */
function fixed(value: number): string {
  return halfEven(value.toFixed(60), value.toFixed(PRECISION));
}

/** `{:.4e}` of Python. */
function exponential(value: number): string {
  const text = halfEven(value.toExponential(60), value.toExponential(PRECISION));
  return negativeZero(value) + text.replace(/e([+-])(\d)$/, "e$10$2");
}

/** Returns the rounded text, except for a tie after an even digit: JavaScript rounds it up, Python to the even digit. */
function halfEven(exact: string, rounded: string): string {
  const [, before, exponent] = /^(-?\d+\.\d{3}[02468])50*(e.*)?$/.exec(exact) ?? [];
  return before === undefined ? rounded : before + (exponent ?? "");
}
