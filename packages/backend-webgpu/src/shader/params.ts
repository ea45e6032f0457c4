import { webgpuError } from "../webgpu-errors.ts";

type Kind = "u32" | "i32" | "f32";

const RANGES = { u32: [0, 2 ** 32 - 1], i32: [-(2 ** 31), 2 ** 31 - 1] } as const;

/** The uniform block of a shader: numbers that differ between dispatches of one pipeline. */
export class Params {
  readonly #fields: { readonly name: string; readonly kind: Kind; readonly value: number }[] = [];

  add(name: string, kind: Kind, value: number): void {
    if (kind !== "f32") requireRange(name, value, RANGES[kind]);
    this.#fields.push({ name, kind, value });
  }

  /** Returns the WGSL of the block as binding `binding`, read as `p.name`; nothing without fields. */
  declaration(binding: number): string {
    if (this.#fields.length === 0) return "";
    const members = this.#fields.map(({ name, kind }) => `${name}: ${kind}`);
    return `struct Params { ${members.join(", ")} }\n@group(0) @binding(${binding}) var<uniform> p: Params;\n`;
  }

  /** Returns the block's bytes, a multiple of 16; null without fields. */
  bytes(): Uint8Array<ArrayBuffer> | null {
    if (this.#fields.length === 0) return null;
    const view = new DataView(new ArrayBuffer(Math.ceil(this.#fields.length / 4) * 16));
    for (const [i, { kind, value }] of this.#fields.entries()) {
      if (kind === "f32") view.setFloat32(i * 4, value, true);
      else if (kind === "i32") view.setInt32(i * 4, value, true);
      else view.setUint32(i * 4, value, true);
    }
    return new Uint8Array(view.buffer);
  }
}

/** Refuses a value that the field's type cannot represent. */
function requireRange(name: string, value: number, [least, greatest]: readonly [number, number]): void {
  if (Number.isInteger(value) && value >= least && value <= greatest) return;
  throw webgpuError("webgpu.too-large", {
    what: `a shader takes \`${name}\` from ${least} to ${greatest}, and here it is ${value}`,
    advice: "Check the op's arguments; on the GPU sizes and steps have 32 bits.",
  });
}
