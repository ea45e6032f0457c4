import { readFileSync } from "node:fs";
import { Pt2Error } from "@pt2/format";
import { expect, test } from "vitest";
import { commonOps } from "./aten/common.ts";
import { decode, type Row } from "./aten/infer-rows.test-helper.ts";
import { aten } from "./aten.ts";
import { atenFor } from "./aten-on-demand.ts";
import { Emitter } from "./lower/emit.ts";
import { createRegistry } from "./op-registry.ts";

const rows = JSON.parse(
  readFileSync(new URL("./aten/infer-cases.golden.json", import.meta.url), "utf8"),
) as readonly Row[];

test("a classifier's ops come without the uncommon families, a sort brings them", async () => {
  expect(await atenFor(["aten::conv2d", "aten::relu_", "higher_order::cond", "_operator::add", "my::op"])).toHaveLength(
    1,
  );
  expect(await atenFor(["aten::conv2d", "aten::sort"])).toHaveLength(2);
  expect((await atenFor(["torch_nn::_linear_cross_entropy_batch_chunked"])).map(({ name }) => name)).toEqual([
    "aten",
    "torch_nn",
  ]);
  const all = (await atenFor()).flatMap(({ ops }) => ops);
  expect(new Set(all)).toEqual(new Set(aten.ops));
});

test("ops whose decompositions need more than the common ops bring it", async () => {
  const registry = createRegistry({ sets: [commonOps] });
  const node = { name: "n", op: "n", args: [], outputs: [], origin: {} };
  const missing = new Set<string>();
  for (const [op, given] of rows) {
    const record = registry.resolve(op);
    if (record === undefined) continue;
    // Everything that can be taken apart is; only what nobody has a record of is of interest.
    const target = { name: "test", isNative: (name: string) => registry.resolve(name)?.decompose === undefined };
    const args = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, decode(value)]));
    try {
      new Emitter(registry, target).emit(op, args, node);
    } catch (error) {
      if (error instanceof Pt2Error && /no record/.test(error.what)) missing.add(op);
    }
  }
  expect(missing.size).toBeGreaterThan(0);
  for (const op of missing) expect(await atenFor([op]), op).toHaveLength(2);
});
