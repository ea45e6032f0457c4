import { expect, it } from "vitest";
import { readArguments, UsageError } from "./arguments.ts";

it("the command needs a picture, and takes the rest from its defaults", () => {
  expect(readArguments(["scene.jpg"])).toEqual({
    ...{ picture: "scene.jpg", output: null, backend: "wasm", model: null, threshold: null },
  });
  expect(readArguments(["-o", "found.png", "scene.jpg", "-b", "libtorch", "-t", "0.3", "-m", "other.pt2"])).toEqual({
    ...{ picture: "scene.jpg", output: "found.png", backend: "libtorch", model: "other.pt2", threshold: 0.3 },
  });
});

it("the command explains itself", () => {
  expect(readArguments(["--help"])).toBeNull();
});

it("the command says what is wrong with its arguments", () => {
  const wrong = (...args: string[]) => expect(() => readArguments(args));
  wrong().toThrow(new UsageError("name a picture"));
  wrong("a.jpg", "b.jpg").toThrow("one picture at a time; there is also b.jpg");
  wrong("a.jpg", "--backend", "tpu").toThrow("there is no backend tpu");
  wrong("a.jpg", "--threshold", "50%").toThrow("--threshold is a score from 0 to 1, not 50%");
  wrong("a.jpg", "--output", "found").toThrow("--output ends in .jpg, .png or .webp");
  wrong("a.jpg", "--fast").toThrow(UsageError);
});
