import type { TreeSpec } from "@pt2/format";
import { expect, it } from "vitest";
import { flatten } from "../pytree/flatten.ts";
import { leafNames } from "../pytree/leaf-names.ts";
import { unflatten } from "../pytree/unflatten.ts";
import { unfoldObjects } from "./tree-objects.ts";

const leaf: TreeSpec = { type: null, context: null, children: [] };
const object = (context: unknown, leaves: number): TreeSpec => ({
  type: "transformers.cache_utils:StaticCache",
  context,
  children: Array.from({ length: leaves }, () => leaf),
});
const tensor = (i: number): unknown => ({ _t: "tensor", i });
const layer = (fields: unknown): unknown => ({ _t: "obj", p: "lib:Layer", s: fields });

it("unfoldObjects names the tensors of an object, and drops values without tensors", () => {
  const cache = object(
    {
      _t: "obj",
      p: "lib:Cache",
      s: {
        layers: [
          layer({ keys: tensor(0), values: tensor(1), ready: true, dtype: { _t: "dtype", n: "float32" } }),
          layer({ keys: null, values: null }),
          layer({ keys: tensor(2), sizes: { _t: "seq", p: "builtins:tuple", v: [4, { _t: "sym", i: 3 }] } }),
        ],
        by_layer: {
          _t: "items",
          v: [
            [0, tensor(4)],
            [1, null],
          ],
        },
        states: { _t: "map", p: "collections:OrderedDict", v: { last: tensor(5) } },
        window: null,
      },
    },
    6,
  );
  const tree = unfoldObjects({ type: "builtins.tuple", context: null, children: [leaf, cache] });
  expect(unflatten(tree, [9, 0, 1, 2, 3, 4, 5])).toEqual([
    9,
    {
      layers: [{ keys: 0, values: 1 }, {}, { keys: 2, sizes: [{}, 3] }],
      by_layer: new Map([[0, 4]]),
      states: { last: 5 },
    },
  ]);
  expect(leafNames(tree, "y")[3]).toBe("y[1].layers[2].keys");
});

it("an unfolded object may be passed with the numbers that it has in results of another program", () => {
  const cache = object(layer({ keys: tensor(0), size: tensor(1), batch: 2, dtype: { _t: "dtype" }, past: null }), 2);
  const tree = unfoldObjects({ type: "builtins.tuple", context: null, children: [cache] });
  const spec = {
    type: "builtins.tuple",
    context: null,
    children: [tree, { type: "builtins.dict", context: [], children: [] }],
  };
  expect(flatten(spec, [{ keys: 7, size: 8, batch: 3, past: null }])).toEqual([7, 8]);
  expect(flatten(spec, [{ keys: 7, size: 8, past: [{ ready: new Map([[0, false]]) }] }])).toEqual([7, 8]);
  const tensors = [
    [9],
    new Float32Array(1),
    { dtype: "float32", shape: [], data: new Float32Array(1) },
    [{ keys: new Map([[0, new Float32Array(1)]]) }],
  ];
  for (const past of tensors) {
    expect(() => flatten(spec, [{ keys: 7, size: 8, past }])).toThrow("`args[0].past` must be nothing");
  }
  expect(() => flatten(spec, [{ keys: 7, size: 8, bach: 3 }])).toThrow("`args[0].bach` must be nothing");
});

it("an object without tensors takes one without tensors, in a list too", () => {
  const empty = object(layer({ layers: [layer({ keys: null, ready: false })], offloading: false }), 0);
  const partly = object(layer({ layers: [layer({ keys: null }), layer({ keys: tensor(0) })] }), 1);
  const kwargs = { type: "builtins.dict", context: [], children: [] };
  const args = { type: "builtins.tuple", context: null, children: [unfoldObjects(empty), unfoldObjects(partly)] };
  const spec = { type: "builtins.tuple", context: null, children: [args, kwargs] };
  const given = [{ layers: [{ keys: null, ready: false }] }, { layers: [{ keys: null }, { keys: 5 }] }];
  expect(flatten(spec, given)).toEqual([5]);
  expect(flatten(spec, [{}, { layers: [{}, { keys: 5 }] }])).toEqual([5]);
});

it.each([
  ["another class", { keys: 3 }, 2],
  ["marks in another order", { _t: "obj", p: "a:B", s: { a: tensor(1), b: tensor(0) } }, 2],
  ["too few marks", { _t: "obj", p: "a:B", s: { a: tensor(0) } }, 2],
  ["too many marks", { _t: "obj", p: "a:B", s: { a: tensor(0), b: tensor(1), c: tensor(1) } }, 1],
  ["no fields", { _t: "obj", p: "a:B", s: 3 }, 1],
])("unfoldObjects keeps %s", (_, context, leaves) => {
  expect(unfoldObjects(object(context, leaves))).toEqual(object(context, leaves));
});
