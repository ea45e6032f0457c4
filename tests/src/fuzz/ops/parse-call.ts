import { DTYPES, type DType } from "@pt2/format";
import type { OpSchema } from "@pt2/registry";
import type { ArgSpec, CallSpec, Fill, ListSpec } from "./call-spec.ts";

/**
 * Parses a call as {@link showCall} writes it, with arguments in the order of the schema instead of names:
 * `aten::glu_backward(float32[2,3], float32[2,6], 1)`. Tensors may be followed by their fill.
 */
export function parseCall(text: string, schemaOf: (op: string) => OpSchema | null): CallSpec | null {
  const open = text.indexOf("(");
  const op = text.slice(0, open);
  const schema = schemaOf(op);
  if (schema === null) return null;
  const { items } = new Reader(`[${text.slice(open + 1, -1)}]`).list();
  const args = items.map((arg, i) => [schema.args[i]?.name ?? `${op} has no argument ${i}`, arg] as const);
  return { op, args: Object.fromEntries(args) };
}

/** Reads tokens. Numbers are floats when they have a point or an exponent. */
class Reader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  list(): ListSpec {
    const items: ArgSpec[] = [];
    this.#take(/\[\s*/y);
    while (this.#find(/\]/y) === null) {
      items.push(this.#value());
      this.#find(/\s*,\s*/y);
    }
    return { kind: "list", items };
  }

  #value(): ArgSpec {
    if (this.#text[this.#at] === "[") return this.list();
    const tensor = this.#find(/([a-z_0-9]+)\[([\d,]*)\](?: ([a-z]+))?/y);
    if (tensor !== null) {
      const [, dtype = "", sizes = "", fill = "small"] = tensor;
      const shape = sizes.split(",").filter(Boolean).map(Number);
      return { kind: "tensor", dtype: dtypeOf(dtype), shape, fill: fill as Fill, form: "dense" };
    }
    const text = this.#find(/"([^"]*)"/y);
    if (text !== null) return { kind: "string", value: text[1] ?? "" };
    const [word] = this.#take(/[\w.+-]+/y);
    if (word === "none") return { kind: "none" };
    if (word === "true" || word === "false") return { kind: "bool", value: word === "true" };
    if (word.startsWith("torch.")) return { kind: "dtype", value: dtypeOf(word.slice(6)) };
    return { kind: /^-?\d+$/.test(word) ? "int" : "float", value: word };
  }

  #take(pattern: RegExp): RegExpExecArray {
    const found = this.#find(pattern);
    if (found === null) throw new Error(`What is "${this.#text.slice(this.#at)}"?`);
    return found;
  }

  #find(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }
}

function dtypeOf(name: string): DType {
  if (!(name in DTYPES)) throw new Error(`${name} is not a dtype`);
  return name as DType;
}
