import { type Program, unflatten } from "@pt2/graph";
import { stringLiteral } from "../declare/quote.ts";

/** One result of a program in generated code. */
export class ResultText {
  readonly text: string;
  readonly type: string;

  constructor(text: string, type: string) {
    this.text = text;
    this.type = type;
  }
}

/** Writes results in the structure in which `model.forward` of the program returns them; other functions have none. */
export function resultText(program: Program | null, leaves: readonly ResultText[]): ResultText {
  if (program === null || program.outSpec === null) return leaves.length === 1 ? leaves[0]! : write(leaves);
  return write(unflatten(program.outSpec, leaves, program.namedTuples));
}

function write(value: unknown): ResultText {
  if (value instanceof ResultText) return value;
  if (value === null) return new ResultText("null", "null");
  if (Array.isArray(value)) {
    const items = value.map(write);
    const [texts, types] = [items.map(({ text }) => text), items.map(({ type }) => type)];
    return new ResultText(`[${texts.join(", ")}]`, `readonly [${types.join(", ")}]`);
  }
  if (value instanceof Map) {
    const entries = [...value].map(([key, item]) => [keyText(key), write(item)] as const);
    const types = new Set(entries.map(([, { type }]) => type));
    return new ResultText(
      `new Map<unknown, ${[...types].join(" | ")}>([${entries.map(([key, { text }]) => `[${key}, ${text}]`).join(", ")}])`,
      `ReadonlyMap<unknown, ${[...types].join(" | ")}>`,
    );
  }
  const entries = Object.entries(value as object).map(([name, item]) => [name, write(item)] as const);
  const fields = entries.map(([name, { text }]) => (name === text ? text : `${propertyText(name)}: ${text}`));
  const types = entries.map(([name, { type }]) => `readonly ${propertyText(name)}: ${type}`);
  return new ResultText(`{ ${fields.join(", ")} }`, `{ ${types.join("; ")} }`);
}

function keyText(key: unknown): string {
  return typeof key === "string" ? stringLiteral(key) : String(key);
}

/** A plain `__proto__` would set the prototype. */
function propertyText(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) && name !== "__proto__" ? name : `[${stringLiteral(name)}]`;
}
