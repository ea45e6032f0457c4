import { expect, it } from "vitest";
import { tableOf } from "./table.ts";

it("the table has a line for each thing, and says when there is none", () => {
  const found = [
    { label: "heart", index: 14, score: 0.9512, box: [1.4, 20, 130.6, 250] as const },
    { label: "4", index: 4, score: 1, box: [0, 0, 1000, 1] as const },
  ];
  expect(tableOf(found)).toEqual([
    "        score    left     top   right  bottom",
    "heart  95.1 %       1      20     131     250",
    "4     100.0 %       0       0    1000       1",
  ]);
  expect(tableOf([])).toEqual(["nothing found"]);
});
