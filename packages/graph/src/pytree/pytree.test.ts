import type { TreeSpec } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { FIXTURES, fixture } from "../fixtures.test-helper.ts";
import { Scanner } from "../scanner.ts";
import { parseTree } from "../text/parse-tree.ts";
import { flatten } from "./flatten.ts";
import { inputNames, leafNames } from "./leaf-names.ts";
import { unflatten } from "./unflatten.ts";

const spec = (text: string): TreeSpec => parseTree(new Scanner(text));
const NT = 'node "collections.namedtuple" "\\"my.Pair\\"" (*, *)';
const KEYS = { key_cache: [1], value_cache: [2] };
const namedTuples = new Map([["my.Pair", ["left", "right"]]]);

describe("flatten", () => {
  const call = spec('tuple(tuple(dict("left": *, "right": list(*, *))), dict("named": *, "flag": *))');

  it("flatten orders arguments as at export", () => {
    const kwargs = { flag: true, named: 3 };
    expect(flatten(call, [{ right: [2, 4], left: 1 }], kwargs)).toEqual([1, 2, 4, 3, true]);
    expect(
      flatten(
        call,
        [
          new Map<string, unknown>([
            ["left", 1],
            ["right", [2, null]],
          ]),
        ],
        { named: undefined, flag: 0 },
      ),
    ).toEqual([1, 2, null, null, 0]);
  });

  it.each([
    [[], {}, "1 positional arguments"],
    [[{ left: 1 }], {}, "`pair.right` must be a value, but got nothing"],
    [[{ left: 1, right: 2 }], {}, "`pair.right` must be an array of 2, but got a number"],
    [[{ left: 1, right: [2] }], {}, "but got an array of 1"],
    [[{ left: 1, right: [2, 3], other: 4 }], {}, "`pair.other` must be nothing"],
    [[[1, 2]], {}, '`pair` must be an object with "left", "right", but got an array of 2'],
    [[{ left: 1, right: [2, 3] }], { named: 1 }, "`flag` must be a value"],
  ] as [unknown[], Record<string, unknown>, string][])("flatten rejects %j %j", (args, kwargs, message) => {
    expect(() => flatten(call, args, kwargs, { forwardArgs: ["pair", "named", "flag"] })).toThrow(
      expect.objectContaining({ code: "graph.input-tree", message: expect.stringContaining(message) }),
    );
  });
});

describe("unflatten", () => {
  it.each([
    ["*", 1],
    ["tuple(*, list(*), tuple())", [1, [2], []]],
    ['dict("a": *, "__proto__": *)', JSON.parse('{"a":1,"__proto__":2}')],
    [
      'dict("a": *, 3: *)',
      new Map<unknown, unknown>([
        ["a", 1],
        [3, 2],
      ]),
    ],
    [NT, { left: 1, right: 2 }],
    ['node "collections.OrderedDict" "[\\"k\\"]" (tuple(*))', { k: [1] }],
    ['node "collections.defaultdict" "{\\"dict_context\\": [\\"k\\"]}" (*)', { k: 1 }],
    ['node "torch.Size" "null" (*, *)', [1, 2]],
    ['node "my.Dataclass" "[[\\"a\\", \\"b\\"], [\\"c\\"]]" (*, *)', { a: 1, b: 2, c: null }],
    ['node "my.Output" "[\\"logits\\", \\"hidden\\"]" (*, tuple(*))', { logits: 1, hidden: [2] }],
    ['node "transformers.DynamicCache" "[[\\"key_cache\\", \\"value_cache\\"], [null]]" (list(*), list(*))', KEYS],
    ['node "tensordict.TensorDict" "{\\"batch_size\\": [3], \\"keys\\": [\\"a\\", \\"b\\"]}" (*, *)', { a: 1, b: 2 }],
    ['node "torch.return_types.topk" "null" (*, *)', { values: 1, indices: 2 }],
    ['node "torch.return_types.topk" "null" (*)', [1]],
    ['node "my.Twice" "[\\"a\\", \\"a\\"]" (*, *)', [1, 2]],
    ['node "my.Fewer" "[\\"a\\"]" (*, *)', [1, 2]],
    ['node "transformers.DynamicCache" "{\\"x\\": 1}" (list(*, *), *)', [1, 2, 3]],
  ])("unflatten builds %s", (text, value) => {
    const tree = spec(text);
    const call = spec(`tuple(tuple(${text}), dict())`);
    const leaves = [1, 2, 3].slice(0, leafNames(tree).length);
    expect(unflatten(tree, leaves, namedTuples)).toEqual(value);
    expect(flatten(call, [value], {}, { namedTuples })).toEqual(leaves);
  });

  it("unflatten counts leaves", () => expect(() => unflatten(spec("tuple(*)"), [])).toThrow(/1 leaves/));
});

it("leafNames names leaves", () => {
  const call = spec(`tuple(tuple(dict("left": *, "odd key": list(*)), ${NT}), dict("k": tuple(*)))`);
  expect(inputNames(call, ["pair", "nt"], namedTuples)).toEqual([
    "pair.left",
    'pair["odd key"][0]',
    "nt.left",
    "nt.right",
    "k[0]",
  ]);
});

it.each(FIXTURES)("inputNames returns as many names as %s has inputs", async (path) => {
  const { inSpec, outSpec, forwardArgs, namedTuples: types, inputs, outputs } = await fixture(path);
  const names = inputNames(inSpec!, forwardArgs, types);
  expect(names).toHaveLength(inputs.filter(({ kind }) => kind === "user_input" || kind === "constant_input").length);
  expect(leafNames(outSpec!, "out", types)).toHaveLength(outputs.filter(({ kind }) => kind === "user_output").length);
});
