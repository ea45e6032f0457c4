// The binary format of WebAssembly, as far as a module of functions over an imported memory needs it.
import { type Instruction, OPCODES } from "./opcodes.ts";

/** Types of values. */
export const VALUE_TYPE = { i32: 0x7f, i64: 0x7e, f32: 0x7d, f64: 0x7c, v128: 0x7b } as const;

/** Name of a value type. */
export type ValueType = keyof typeof VALUE_TYPE;

/** Type of a function. */
export interface Signature {
  readonly params: readonly ValueType[];
  readonly results: readonly ValueType[];
}

/** A function of a module. Its first locals are its parameters. */
export interface FunctionBody {
  readonly signature: Signature;
  /** Locals beyond the parameters, as counts by type, in index order. */
  readonly locals: readonly (readonly [count: number, type: ValueType])[];
  /** Instructions without the final `end`. */
  readonly code: readonly number[];
  /** Name under which it is exported; absent for a helper. */
  readonly name?: string;
}

/** A function that the module imports. */
export interface ImportedFunction {
  readonly name: string;
  readonly signature: Signature;
}

/** Encodes an unsigned LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = [];
  let rest = value >>> 0;
  do {
    const low = rest & 0x7f;
    rest >>>= 7;
    bytes.push(rest ? low | 0x80 : low);
  } while (rest);
  return bytes;
}

/** Encodes a 32-bit integer as signed LEB128. */
export function signed(value: number): number[] {
  const bytes: number[] = [];
  let rest = value | 0;
  for (;;) {
    const low = rest & 0x7f;
    rest >>= 7;
    if (rest === (low & 0x40 ? -1 : 0)) return [...bytes, low];
    bytes.push(low | 0x80);
  }
}

/** Returns the bytes of an instruction whose immediates are already encoded. */
export function instruction(name: Instruction, immediates: readonly number[] = []): number[] {
  const { prefix, code } = OPCODES[name];
  return prefix ? [prefix, ...unsigned(code), ...immediates] : [code, ...immediates];
}

/** Control instructions; blocks have no result unless a type is given. */
export const control = {
  block: [0x02, 0x40],
  loop: [0x03, 0x40],
  if: [0x04, 0x40],
  ifValue: (type: ValueType): readonly number[] => [0x04, VALUE_TYPE[type]],
  else: [0x05],
  end: [0x0b],
  br: (depth: number): readonly number[] => [0x0c, ...unsigned(depth)],
  brIf: (depth: number): readonly number[] => [0x0d, ...unsigned(depth)],
  return: [0x0f],
  call: (index: number): readonly number[] => [0x10, ...unsigned(index)],
} as const;

/** The memory that a module imports. */
export interface MemoryImport {
  readonly shared: boolean;
  /** The limit of a shared memory in pages, which the import must state. */
  readonly maximum: number;
}

/** Encodes a module: imports from `math` and the memory `env.memory`, then functions. Imports have the first indices. */
export function encodeModule(
  imports: readonly ImportedFunction[],
  functions: readonly FunctionBody[],
  memory: MemoryImport = { shared: false, maximum: 65536 },
): Uint8Array<ArrayBuffer> {
  const types = new Map<string, { readonly index: number; readonly bytes: readonly number[] }>();
  const typeIndex = ({ params, results }: Signature): number => {
    const key = `${params}>${results}`;
    const list = (names: readonly ValueType[]): number[] => vector(names.map((name) => [VALUE_TYPE[name]]));
    const entry = types.get(key) ?? { index: types.size, bytes: [0x60, ...list(params), ...list(results)] };
    types.set(key, entry);
    return entry.index;
  };
  const limits = memory.shared ? [0x03, 0, ...unsigned(memory.maximum)] : [0x00, 0];
  const importEntries = [
    [...text("env"), ...text("memory"), 0x02, ...limits],
    ...imports.map(({ name, signature }) => [...text("math"), ...text(name), 0x00, ...unsigned(typeIndex(signature))]),
  ];
  const functionEntries = functions.map(({ signature }) => unsigned(typeIndex(signature)));
  const exportEntries = functions.flatMap(({ name }, i) =>
    name === undefined ? [] : [[...text(name), 0x00, ...unsigned(imports.length + i)]],
  );
  const bodies = functions.map(({ locals, code }) => {
    const groups = vector(locals.map(([count, type]) => [...unsigned(count), VALUE_TYPE[type]]));
    return [...unsigned(groups.length + code.length + 1), ...groups, ...code, 0x0b];
  });
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00],
    ...section(
      1,
      [...types.values()].map(({ bytes }) => bytes),
    ),
    ...section(2, importEntries),
    ...section(3, functionEntries),
    ...section(7, exportEntries),
    ...section(10, bodies),
  ]);
}

function section(id: number, entries: readonly (readonly number[])[]): number[] {
  const content = vector(entries);
  return [id, ...unsigned(content.length), ...content];
}

function vector(entries: readonly (readonly number[])[]): number[] {
  return [...unsigned(entries.length), ...entries.flat()];
}

function text(value: string): number[] {
  const bytes = new TextEncoder().encode(value);
  return [...unsigned(bytes.length), ...bytes];
}
