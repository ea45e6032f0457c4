// WGSL that finds elements by the uniform block.
import { type ElementwiseForm, isVectorArray, stridesOf, type WalkMode } from "./elementwise-geometry.ts";

/** Returns the WGSL of a word of the uniform block. */
export type Field = (name: string) => string;

/**
 * Returns WGSL that computes the element's coordinates as `c0`, `c1` and so on, the last in vectors; `t0` where
 * invocations compute tiles.
 */
export function coordinates({ rank, transposed }: ElementwiseForm, field: Field): string {
  const lines: string[] = [];
  const name = (d: number): string => (d === transposed ? `t${d}` : `c${d}`);
  let rest = "i";
  for (let d = rank - 1; d > 0; d--) {
    const size = field(`size${d}`);
    lines.push(`  let r${d} = ${rest} / ${size};\n  let ${name(d)} = ${rest} - r${d} * ${size};\n`);
    rest = `r${d}`;
  }
  return `${lines.join("")}  let ${name(0)} = ${rest};\n`;
}

/**
 * Returns the WGSL of the address of an element, or of the invocation's first one, in units of the binding's elements.
 */
export function addressOf(k: number, form: ElementwiseForm, field: Field): string {
  const { rank, vector, ragged, transposed } = form;
  const mode = form.modes[k] as WalkMode;
  const inner = rank - 1;
  const steps = stridesOf(mode, form).map((d) => {
    const coordinate = d === inner && vector === 4 && !ragged ? `4u * c${d}` : `c${d}`;
    return `${coordinate} * ${field(`stride${k}_${d}`)}`;
  });
  const own =
    mode === "dense" ? ["i"] : mode === "row" ? [`c${inner}`] : mode === "transposed" ? [`t${transposed}`] : [];
  return [field(`offset${k}`), ...steps, ...own].join(" + ");
}

/** WGSL that reads an operand. */
export interface Read {
  /**
   * The parts that stand outside of the entry point, in it, and in the loop over the rows of a tile if there is one.
   */
  readonly declaration: string;
  readonly tile: string;
  readonly setup: string;
  /** Returns the element of one of the invocation's lanes, as it is in memory. */
  lane(index: number): string;
}

/** Returns the WGSL that reads operand `k`. */
export function readOf(k: number, form: ElementwiseForm, field: Field): Read {
  const mode = form.modes[k] as WalkMode;
  const address = addressOf(k, form, field);
  const none = { declaration: "", tile: "", setup: "" };
  const step = (): string => field(`stride${k}_${form.rank - 1}`);
  if (mode === "strided" && form.ragged) {
    const body = `${coordinates(form, field)}  return ${address};\n`;
    const declaration = `fn a${k}(i: u32) -> u32 {\n${body}}\n`;
    return { ...none, declaration, lane: (lane) => `b${k}[a${k}(4u * i + ${lane}u)]` };
  }
  if (mode === "strided" && form.vector === 4) {
    const setup = `  let a${k} = ${address};\n`;
    return { ...none, setup, lane: (lane) => `b${k}[a${k} + ${lane}u * ${step()}]` };
  }
  if (mode === "transposed") {
    const vectors = [0, 1, 2, 3].map((lane) => `  let e${k}_${lane} = b${k}[a${k} + ${lane}u * ${step()}];\n`);
    const tile = `  let a${k} = ${address};\n${vectors.join("")}`;
    return { ...none, tile, lane: (lane) => `e${k}_${lane}[r]` };
  }
  const wide = form.vector === 4 && isVectorArray(mode);
  const setup = `  let e${k} = b${k}[${address}];\n`;
  return { ...none, setup, lane: (lane) => (wide ? `e${k}[${lane}]` : `e${k}`) };
}
