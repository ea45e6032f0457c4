import { expect } from "vitest";
import type { Program } from "./ir.ts";
import { parse } from "./text/parse-program.ts";
import { print } from "./text/print-program.ts";
import { validate } from "./validate/validate.ts";

/** The program with this text. */
export function program(text: string): Program {
  return parse(`program {\n${text}\n}`);
}

/** Expects a pass to make `after` of `before`, both sound, and the input to stay as it was. */
export function expectPass(pass: (program: Program) => Program, before: string, after: string): void {
  const input = program(before);
  expect(validate(input)).toEqual([]);
  const printed = print(input);
  const output = pass(input);
  expect(print(output)).toBe(print(program(after)));
  expect(validate(output)).toEqual([]);
  expect(print(input)).toBe(printed);
}
