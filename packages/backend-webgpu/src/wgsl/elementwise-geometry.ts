import { numel } from "@pt2/format";

/** A tensor's walk over an iteration space: strides and offset count elements. */
export interface Walk {
  readonly strides: readonly number[];
  readonly offset: number;
}

/**
 * How an operand moves: with the element's index (`dense`), not at all (`scalar`), by coordinates with neighboring
 * elements along the row (`row`), with one element for a whole row (`column`), with neighboring elements along another
 * dimension (`transposed`), or by coordinates with any strides (`strided`).
 */
export type WalkMode = "dense" | "scalar" | "row" | "column" | "transposed" | "strided";

/** What a kernel's text depends on besides expression and dtypes: not on sizes. */
export interface ElementwiseForm {
  /** The number of dimensions that are left after merging. */
  readonly rank: number;
  /** The elements that an invocation computes. */
  readonly vector: 1 | 4;
  /** Whether they may lie in more than one row, so that each has coordinates of its own. */
  readonly ragged: boolean;
  /**
   * The dimension along which `transposed` operands are read, with invocations that compute tiles of 4 × 4. Null without
   * such operands.
   */
  readonly transposed: number | null;
  /** The modes of the operands, then that of the output. */
  readonly modes: readonly WalkMode[];
}

/** An iteration space and its operands' walks, the output's last. */
export interface Geometry {
  readonly shape: readonly number[];
  readonly walks: readonly Walk[];
}

/**
 * Returns the same elements in as few dimensions as possible: dimensions of one element go, the others are ordered by
 * the strides of the output, and neighbors that every operand crosses in one stride are merged. At least one is left.
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

/** Returns the form of a coalesced geometry. */
export function formOf({ shape, walks }: Geometry): ElementwiseForm {
  const rank = shape.length;
  const output = modeOf(walks.at(-1) as Walk, shape, 4);
  const whole = (shape.at(-1) as number) % 4 === 0 && isVectorArray(output);
  const ragged = !whole && output === "dense" && numel(shape) % 4 === 0;
  const vector = whole || ragged ? 4 : 1;
  const modes = walks.map((walk) => modeOf(walk, shape, vector));
  if (ragged)
    return {
      rank,
      vector,
      ragged,
      transposed: null,
      modes: modes.map((mode) => (byCoordinates(mode) ? "strided" : mode)),
    };
  const found = modes.map((mode, k) => (mode === "strided" && whole ? turnedAlong(walks[k] as Walk, shape) : -1));
  const transposed = found.find((d) => d >= 0) ?? null;
  if (transposed === null) return { rank, vector, ragged, transposed, modes };
  const inTiles = modes.map((mode, k) => (found[k] === transposed ? "transposed" : mode === "dense" ? "row" : mode));
  return { rank, vector, ragged, transposed, modes: inTiles };
}

/** Returns the dimension, other than the last, along which an operand has vectors; -1 if there is none. */
function turnedAlong({ strides, offset }: Walk, shape: readonly number[]): number {
  const d = strides.findIndex((stride, at) => stride === 1 && at < shape.length - 1 && (shape[at] as number) % 4 === 0);
  return offset % 4 === 0 && strides.every((stride, at) => at === d || stride % 4 === 0) ? d : -1;
}

/** Returns how many invocations compute a coalesced geometry. */
export function invocationsOf({ shape }: Geometry, { vector, transposed }: ElementwiseForm): number {
  return numel(shape) / (transposed === null ? vector : 16);
}

function modeOf({ strides, offset }: Walk, shape: readonly number[], vector: number): WalkMode {
  if (strides.every((stride) => stride === 0)) return "scalar";
  // A vector is read at a multiple of its length.
  const aligned = offset % vector === 0;
  if (aligned && strides.every((stride, d) => stride === numel(shape.slice(d + 1)))) return "dense";
  const inner = strides.at(-1);
  if (inner === 0) return "column";
  const rows = aligned && strides.slice(0, -1).every((stride) => stride % vector === 0);
  return inner === 1 && rows ? "row" : "strided";
}

/**
 * Lists the names of the words of a kernel's uniform block, in order. Both the text and the block are made from this
 * list.
 */
export function blockFields(form: ElementwiseForm): readonly string[] {
  const { rank, modes } = form;
  const moves = modes.some(byCoordinates);
  return [
    "count",
    "span",
    ...(moves ? range(1, rank).map((d) => `size${d}`) : []),
    ...modes.flatMap((mode, k) => [`offset${k}`, ...stridesOf(mode, form).map((d) => `stride${k}_${d}`)]),
  ];
}

/** Whether a walk needs the coordinates of an element. */
export function byCoordinates(mode: WalkMode): boolean {
  return mode !== "dense" && mode !== "scalar";
}

/** Returns the dimensions whose strides the kernel reads. */
export function stridesOf(mode: WalkMode, { rank, transposed }: ElementwiseForm): readonly number[] {
  if (!byCoordinates(mode)) return [];
  if (mode === "transposed") return range(0, rank).filter((d) => d !== transposed);
  return range(0, mode === "strided" ? rank : rank - 1);
}

/** Makes the uniform block of a coalesced geometry; `span` is the number of invocations in a row of workgroups. */
export function elementwiseParams(geometry: Geometry, form: ElementwiseForm, span: number): Uint32Array<ArrayBuffer> {
  const { shape, walks } = geometry;
  const { vector, ragged, transposed, modes, rank } = form;
  const values = new Map<string, number>([
    ["count", invocationsOf(geometry, form)],
    ["span", span],
  ]);
  for (const d of range(0, rank)) {
    const inVectors = d === transposed || (d === rank - 1 && !ragged);
    values.set(`size${d}`, (shape[d] as number) / (inVectors ? vector : 1));
  }
  for (const [k, { strides, offset }] of walks.entries()) {
    // Offsets count whole vectors where the binding is an array of them.
    const unit = isVectorArray(modes[k] as WalkMode) ? vector : 1;
    values.set(`offset${k}`, offset / unit);
    for (const [d, stride] of strides.entries()) values.set(`stride${k}_${d}`, stride / unit);
  }
  const fields = blockFields(form);
  const words = new Uint32Array(Math.ceil(fields.length / 4) * 4);
  words.set(fields.map((field) => values.get(field) as number));
  return words;
}

/** Whether a binding is an array of vectors, if the kernel computes vectors. */
export function isVectorArray(mode: WalkMode): boolean {
  return mode === "dense" || mode === "row" || mode === "transposed";
}

const range = (from: number, to: number): readonly number[] =>
  Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);
