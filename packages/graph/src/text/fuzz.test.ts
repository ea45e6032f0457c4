import { Pt2Error } from "@pt2/format";
import { randomBelow } from "@pt2/testing/random";
import { expect, it } from "vitest";
import { fixture } from "../fixtures.test-helper.ts";
import { fromJson } from "../json/decode-program.ts";
import { toJson } from "../json/encode-program.ts";
import type { Json } from "../json/json-types.ts";
import { validate } from "../validate/validate.ts";
import { parse } from "./parse-program.ts";
import { print } from "./print-program.ts";

const PATHS = ["torch-2.13/cond.pt2", "torch-2.13/dynamic.pt2", "torch-2.13/trees.pt2"];

/** Reads a damaged document: a coded error, or a value that `validate` can look at. */
function survives(read: () => ReturnType<typeof parse>): void {
  try {
    expect(Array.isArray(validate(read()))).toBe(true);
  } catch (error) {
    expect(error).toBeInstanceOf(Pt2Error);
  }
}

it.each(PATHS)("the parser parses damaged text of %s or rejects it with a code", async (path) => {
  const text = print(await fixture(path));
  const random = randomBelow(7);
  const pieces = ["", "(", "]", '"', "%", "-", "9".repeat(40), "graph", ";", "=", "\\", "inf", "{", "s0**", "\u0000"];
  for (let i = 0; i < 400; i++) {
    const at = random(text.length);
    const damaged = text.slice(0, at) + pieces[random(pieces.length)] + text.slice(at + random(4));
    survives(() => parse(damaged));
  }
});

it.each(PATHS)("the JSON reader reads damaged JSON of %s or rejects it with a code", async (path) => {
  const text = JSON.stringify(toJson(await fixture(path)));
  const random = randomBelow(11);
  const junk: readonly Json[] = [null, -1, "", [], {}, true, { $int: "x" }, "Symbol(", 1e300];
  for (let i = 0; i < 400; i++) {
    let left = random(text.length / 20);
    const damaged = JSON.parse(text, (_, value: Json) => (left-- === 0 ? junk[random(junk.length)] : value)) as Json;
    survives(() => fromJson(damaged));
  }
});

it("the parser bounds the depth and length of texts", () => {
  for (const piece of ["[", "graph() { return ", "(", "tuple("]) {
    survives(() => parse(`program { in_spec ${piece.repeat(20_000)}`));
    survives(() => parse(`program { return ${piece.repeat(20_000)}`));
  }
});
