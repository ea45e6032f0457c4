import { expect, test } from "vitest";
import { denseStrides } from "./layout.ts";

test.each([
  ["row-major", { shape: [1, 3, 5, 7], strides: [105, 35, 7, 1] }, [770, 35, 7, 1]],
  ["channels last", { shape: [2, 3, 5, 7], strides: [105, 1, 21, 3] }, [770, 1, 154, 22]],
  ["one channel that lies last", { shape: [2, 1, 5, 7], strides: [35, 1, 7, 1] }, [770, 1, 154, 22]],
  ["one channel of rows", { shape: [2, 1, 5, 7], strides: [35, 35, 7, 1] }, [770, 35, 7, 1]],
  ["channels of single pixels", { shape: [2, 3, 1, 1], strides: [3, 1, 3, 3] }, [770, 1, 154, 22]],
])("a dense tensor in the order of another: %s", (_, like, expected) => {
  expect(denseStrides([2, 22, 5, 7], like)).toEqual(expected);
});
