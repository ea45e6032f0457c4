/** A tensor's way over an iteration space: strides and offset count elements. */
export interface Walk {
  readonly strides: readonly number[];
  readonly offset: number;
}

/**
 * How an operand moves: with the element's number (`dense`), not at all (`scalar`), by coordinates with the next
 * element beside it (`row`), with the same one for a whole row (`column`), or by coordinates in any steps (`strided`).
 */
export type WalkMode = "dense" | "scalar" | "row" | "column" | "strided";

/** What a kernel's text depends on, besides expression and dtypes: not on sizes. */
export interface ElementwiseForm {
  /** Dimensions that are left after merging. */
  readonly rank: number;
  /** Elements that an invocation computes. */
  readonly vector: 1 | 4;
  /** Whether they may lie in more than one row, so that each has coordinates of its own. */
  readonly ragged: boolean;
  /** Of the operands, then of the output. */
  readonly modes: readonly WalkMode[];
}

/** An iteration space and its operands' walks, the output's last. */
export interface Geometry {
  readonly shape: readonly number[];
  readonly walks: readonly Walk[];
}

/**
 * The same elements in as few dimensions as possible: dimensions of one element go, the others are ordered by the
 * strides of the output, and neighbours that every operand crosses in one stride are merged. At least one is left.
 */
export function coalesce({ shape, walks }: Geometry): Geometry {
  const guide = walks.at(-1)?.strides as readonly number[];
  const dims = shape
    .map((_, d) => d)
    .filter((d) => shape[d] !== 1)
    .sort((a, b) => (guide[b] as number) - (guide[a] as number) || a - b);
  const sizes: number[] = [];
  const steps: (readonly number[])[] = [];
  for (const d of dims) {
    const size = shape[d] as number;
    const step = walks.map(({ strides }) => strides[d] as number);
    const merges = steps.at(-1)?.every((outer, k) => outer === (step[k] as number) * size);
    if (merges) {
      steps.pop();
      sizes.push((sizes.pop() as number) * size);
    } else sizes.push(size);
    steps.push(step);
  }
  if (sizes.length === 0) return { shape: [1], walks: walks.map(({ offset }) => ({ strides: [1], offset })) };
  return {
    shape: sizes,
    walks: walks.map(({ offset }, k) => ({ strides: steps.map((step) => step[k] as number), offset })),
  };
}

/** The form of a geometry that is coalesced. */
export function formOf({ shape, walks }: Geometry): ElementwiseForm {
  const rank = shape.length;
  const output = modeOf(walks.at(-1) as Walk, shape, 4);
  const whole = (shape.at(-1) as number) % 4 === 0 && isVectorArray(output);
  const ragged = !whole && output === "dense" && elements(shape) % 4 === 0;
  const vector = whole || ragged ? 4 : 1;
  const modes = walks.map((walk) => modeOf(walk, shape, vector));
  return { rank, vector, ragged, modes: modes.map((mode) => (ragged && byCoordinates(mode) ? "strided" : mode)) };
}

const elements = (shape: readonly number[]): number => shape.reduce((a, b) => a * b, 1);

function modeOf({ strides, offset }: Walk, shape: readonly number[], vector: number): WalkMode {
  if (strides.every((stride) => stride === 0)) return "scalar";
  // A vector is read at a multiple of its length.
  const aligned = offset % vector === 0;
  if (aligned && strides.every((stride, d) => stride === elements(shape.slice(d + 1)))) return "dense";
  const inner = strides.at(-1);
  if (inner === 0) return "column";
  const rows = aligned && strides.slice(0, -1).every((stride) => stride % vector === 0);
  return inner === 1 && rows ? "row" : "strided";
}

/** Names of the words of a kernel's uniform block, in order. Both the text and the block are made from this list. */
export function blockFields({ rank, modes }: ElementwiseForm): readonly string[] {
  const moves = modes.some(byCoordinates);
  return [
    "count",
    "span",
    ...(moves ? range(1, rank).map((d) => `size${d}`) : []),
    ...modes.flatMap((mode, k) => [`offset${k}`, ...stridesOf(mode, rank).map((d) => `stride${k}_${d}`)]),
  ];
}

/** Whether a walk needs the coordinates of an element. */
export function byCoordinates(mode: WalkMode): boolean {
  return mode !== "dense" && mode !== "scalar";
}

/** Dimensions of which the kernel reads the stride. */
export function stridesOf(mode: WalkMode, rank: number): readonly number[] {
  if (!byCoordinates(mode)) return [];
  return range(0, mode === "strided" ? rank : rank - 1);
}

/** The uniform block of a coalesced geometry; `span` is the number of invocations in a row of workgroups. */
export function elementwiseParams(
  { shape, walks }: Geometry,
  form: ElementwiseForm,
  span: number,
): Uint32Array<ArrayBuffer> {
  const { vector, ragged, modes, rank } = form;
  const values = new Map<string, number>([
    ["count", elements(shape) / vector],
    ["span", span],
  ]);
  for (const d of range(0, rank))
    values.set(`size${d}`, (shape[d] as number) / (d === rank - 1 && !ragged ? vector : 1));
  for (const [k, { strides, offset }] of walks.entries()) {
    // Whole vectors are counted where the binding is an array of them.
    const unit = isVectorArray(modes[k] as WalkMode) ? vector : 1;
    values.set(`offset${k}`, offset / unit);
    for (const [d, stride] of strides.entries()) values.set(`stride${k}_${d}`, stride / unit);
  }
  const fields = blockFields(form);
  const words = new Uint32Array(Math.ceil(fields.length / 4) * 4);
  words.set(fields.map((field) => values.get(field) as number));
  return words;
}

/** Whether a binding is an array of vectors, if the kernel is one of vectors. */
export function isVectorArray(mode: WalkMode): boolean {
  return mode === "dense" || mode === "row";
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);
