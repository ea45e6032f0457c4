import { expect, it } from "vitest";
import { FORMAT_ERRORS, formatError } from "./format-errors.ts";
import { checkLimit } from "./limits.ts";
import { Pt2Error } from "./pt2-error.ts";

it("a Pt2Error describes what happened, where, and what to do", () => {
  const cause = new Error("inner");
  const error = formatError("format.zip", {
    what: "it broke",
    where: "a/b",
    advice: "mend it",
    details: { at: 1 },
    cause,
  });
  expect(error).toBeInstanceOf(Pt2Error);
  expect(error.message).toBe("it broke\n  where: a/b\n  what to do: mend it");
  expect(error).toMatchObject({ name: "Pt2Error", code: "format.zip", what: "it broke", details: { at: 1 }, cause });
});

it("fields of a Pt2Error are optional, and every package has its own codes", () => {
  const error = new Pt2Error("other.code", { what: "it broke" });
  expect(error.message).toBe("it broke");
  expect(error).toMatchObject({ code: "other.code", where: undefined, details: {} });
});

it("error codes begin with the package's name", () => {
  for (const code of Object.keys(FORMAT_ERRORS)) expect(code).toMatch(/^format\.[a-z-]+$/);
});

it("an error about a limit contains the value and the limit", () => {
  expect(() => checkLimit("dims", 64, "t")).not.toThrow();
  expect(() => checkLimit("dims", 65, "t")).toThrow(
    expect.objectContaining({ code: "format.limit", details: { limit: "dims", value: 65, allowed: 64 } }),
  );
});
