import { unsigned } from "../src/codegen/encoder.ts";
import { type Opcode, WasmReader } from "./wasm-reader.ts";

/**
 * Keeps the constant vectors that loops read in locals, which are set before the outermost loop. V8 makes such a constant anew
 * wherever one is written, of three instructions, and moves none out of a loop; a local is in a register, or takes one instruction.
 * Binaryen, which compiles the kernels, puts constants in the place of locals.
 */
export function hoistConstants(module: Uint8Array): Uint8Array {
  const reader = new WasmReader(module, HEADER);
  const written: Uint8Array[] = [module.subarray(0, HEADER)];
  let [types, functions]: (readonly number[])[] = [[], []];
  while (!reader.isAtEnd) {
    const id = reader.byte();
    let section = reader.take(reader.u32());
    if (id === SECTION.types) types = parameterCounts(new WasmReader(section));
    if (id === SECTION.functions) functions = indices(new WasmReader(section));
    if (id === SECTION.code)
      section = hoistedCode(
        new WasmReader(section),
        functions.map((type) => types[type]!),
      );
    written.push(Uint8Array.of(id), sized(section));
  }
  return joined(written);
}

/** The magic number and the version. */
const HEADER = 8;
const SECTION = { types: 1, functions: 3, code: 10 } as const;

const VECTOR_TYPE = 0x7b;

function parameterCounts(reader: WasmReader): readonly number[] {
  return reader.vector(() => {
    reader.byte();
    const { length } = reader.vector(() => reader.byte());
    reader.vector(() => reader.byte());
    return length;
  });
}

function indices(reader: WasmReader): readonly number[] {
  return reader.vector(() => reader.u32());
}

function hoistedCode(reader: WasmReader, parameters: readonly number[]): Uint8Array {
  const count = reader.u32();
  return joined([number(count), ...parameters.map((count) => sized(hoistedBody(reader.take(reader.u32()), count)))]);
}

/** Where a constant is read, and the outermost loop around it begins. */
interface Use {
  readonly at: number;
  readonly end: number;
  readonly loop: number;
  readonly bytes: Uint8Array;
}

function hoistedBody(body: Uint8Array, parameters: number): Uint8Array {
  const reader = new WasmReader(body);
  const locals = reader.vector(() => [reader.u32(), reader.byte()] as const);
  const start = reader.at;
  const uses = constantsInLoops(body, start);
  if (uses.length === 0) return body;
  const first = parameters + locals.reduce((sum, [count]) => sum + count, 0);
  const places = new Map<string, number>();
  for (const { bytes } of uses) if (!places.has(`${bytes}`)) places.set(`${bytes}`, first + places.size);
  const declared = [...locals, [places.size, VECTOR_TYPE] as const];
  const parts = [
    number(declared.length),
    ...declared.map(([count, type]) => joined([number(count), Uint8Array.of(type)])),
  ];
  let at = start;
  const copyTo = (end: number): void => {
    parts.push(body.subarray(at, end));
    at = end;
  };
  const loops = new Map(uses.map(({ loop }) => [loop, uses.filter((use) => use.loop === loop)]));
  for (const [loop, inside] of loops) {
    copyTo(loop);
    for (const bytes of new Map(inside.map((use) => [`${use.bytes}`, use.bytes])).values()) {
      parts.push(bytes, Uint8Array.of(0x21), number(places.get(`${bytes}`)!));
    }
    for (const { at: from, end, bytes } of inside) {
      copyTo(from);
      parts.push(Uint8Array.of(0x20), number(places.get(`${bytes}`)!));
      at = end;
    }
  }
  copyTo(body.length);
  return joined(parts);
}

/** The constants inside of loops, in order, but those of which all bits are alike: these take one instruction. */
function constantsInLoops(body: Uint8Array, start: number): readonly Use[] {
  const reader = new WasmReader(body, start);
  const uses: Use[] = [];
  /** The blocks around an instruction: where those that are loops begin. */
  const blocks: (number | null)[] = [];
  while (!reader.isAtEnd) {
    const { at } = reader;
    const op = reader.instruction();
    if (isBlock(op)) blocks.push(op[0] === 0x03 ? at : null);
    else if (op[0] === 0x0b) blocks.pop();
    const loop = blocks.find((block) => block !== null);
    if (op[0] !== 0xfd || op[1] !== 0x0c || loop === undefined) continue;
    const bytes = body.subarray(at, reader.at);
    const [value, ...others] = bytes.subarray(2);
    if ((value === 0 || value === 0xff) && others.every((byte) => byte === value)) continue;
    uses.push({ at, end: reader.at, loop, bytes });
  }
  return uses;
}

/** Whether an instruction begins a block, a loop or a condition. */
function isBlock([byte]: Opcode): boolean {
  return byte >= 0x02 && byte <= 0x04;
}

function number(value: number): Uint8Array {
  return Uint8Array.from(unsigned(value));
}

function sized(bytes: Uint8Array): Uint8Array {
  return joined([number(bytes.length), bytes]);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(Buffer.concat(parts));
}
