import { describe, expect, it } from "vitest";
import { type PickleItem, pickleError } from "./pickle-items.ts";
import { unpickle } from "./unpickle.ts";

const noStorages = (): PickleItem => {
  throw pickleError("no storages here");
};

/** Assembles a pickle from opcode bytes and ASCII text. */
function pickle(parts: readonly (number | string)[]): Uint8Array {
  return Uint8Array.from(
    parts.flatMap((part) => (typeof part === "number" ? part : [...part].map((c) => c.charCodeAt(0)))),
  );
}

const run = (...parts: readonly (number | string)[]) => unpickle(pickle(parts), "test.pkl", noStorages);
const global = (name: string): string => `c${name.replace(" ", "\n")}\n`;

describe("unpickler", () => {
  it.each<[string, readonly (number | string)[], unknown]>([
    ["None", ["N."], { kind: "none" }],
    ["a bool", [0x80, 2, 0x88, "."], { kind: "bool", value: true }],
    ["a small int", ["K", 7, "."], { kind: "int", value: 7 }],
    ["a negative int", ["J", 0xff, 0xff, 0xff, 0xff, "."], { kind: "int", value: -1 }],
    ["a long", [0x8a, 9, ...new Array<number>(8).fill(0), 1, "."], { kind: "int", value: 2n ** 64n }],
    ["a negative long", [0x8a, 1, 0x80, "."], { kind: "int", value: -128 }],
    ["a float", ["G", 0x3f, 0xf8, 0, 0, 0, 0, 0, 0, "."], { kind: "float", value: 1.5 }],
    [
      "a protocol 4 string",
      [0x80, 4, 0x95, 0, 0, 0, 0, 0, 0, 0, 0, 0x8c, 2, "hi", 0x94, "."],
      { kind: "string", value: "hi" },
    ],
    [
      "a torch.Size",
      [global("torch Size"), "K", 3, 0x85, 0x85, "R."],
      { kind: "tuple", items: [{ kind: "int", value: 3 }] },
    ],
    ["a dtype", [global("torch bfloat16"), "."], { kind: "dtype", value: "bfloat16" }],
    [
      "a device",
      [global("torch device"), "U", 6, "cuda:1", 0x85, "R."],
      { kind: "device", value: { type: "cuda", index: 1 } },
    ],
    ["a complex", [global("__builtin__ complex"), "K", 1, "K", 2, 0x86, "R."], { kind: "complex", real: 1, imag: 2 }],
    ["an OrderedDict with state", [global("collections OrderedDict"), ")R}b."], { kind: "dict", entries: [] }],
  ])("the unpickler reads %s", (_, parts, expected) => {
    expect(run(...parts)).toEqual(expected);
  });

  it("the unpickler names a global that is not allowed, and runs nothing", () => {
    expect(() => run(global("os system"), "U", 2, "ls", 0x85, "R.")).toThrow(
      expect.objectContaining({ code: "format.pickle-global", details: { module: "os", name: "system" } }),
    );
    expect(() => run(0x8c, 8, "builtins", 0x8c, 4, "eval", 0x93, ".")).toThrow("builtins.eval");
    expect(() => run(global("torch._utils __class__"), ".")).toThrow("not allowed");
    expect(() => run(global("torch constructor"), ".")).toThrow("not allowed");
  });

  it("where classes are taken, objects are read as their attributes, and nothing is called", () => {
    const taken = (...parts: readonly (number | string)[]) => unpickle(pickle(parts), "test.pkl", noStorages, true);
    const cache = global("my Cache");
    expect(taken(cache, ")", 0x81, "}X", 1, 0, 0, 0, "aK", 5, "sb.")).toEqual({
      kind: "object",
      className: "my.Cache",
      attributes: [["a", { kind: "int", value: 5 }]],
    });
    expect(taken(cache, ".")).toEqual({ kind: "class", name: "my.Cache" });
    const refused = expect.objectContaining({ code: "format.pickle-global", details: { module: "my", name: "Cache" } });
    expect(() => taken(cache, ")R.")).toThrow(refused);
    expect(() => taken(cache, "K", 5, 0x85, 0x81, ".")).toThrow(refused);
    expect(() => taken(cache, ")", 0x81, "K", 5, "b.")).toThrow("sets the state of an object to no dict");
    expect(() => taken(cache, ")", 0x81, "q", 0, "}X", 1, 0, 0, 0, "ah", 0, "sb.")).toThrow("pickle");
    expect(() => run(cache, ")", 0x81, ".")).toThrow(refused);
  });

  it("the unpickler rejects unsupported kinds of tensors by name", () => {
    expect(() => run(global("torch._utils _rebuild_qtensor"), ".")).toThrow(
      expect.objectContaining({ code: "format.tensor-kind", what: "a quantized tensor cannot be read" }),
    );
  });

  it("the unpickler's error for tensor subclasses says how to export them", () => {
    const parts = [
      "(",
      global("torch._tensor _rebuild_from_type_v2"),
      global("torch._utils _rebuild_wrapper_subclass"),
    ];
    expect(() => run(...parts, ".")).toThrow(
      expect.objectContaining({
        code: "format.tensor-subclass",
        advice: expect.stringContaining("unwrap_tensor_subclass"),
      }),
    );
  });

  it("the unpickler reads a plain tensor with Python attributes", () => {
    const meta = [global("torch._utils _rebuild_meta_tensor_no_storage"), global("torch Tensor")];
    const args = ["(", global("torch float32"), "K", 3, 0x85, "K", 1, 0x85, 0x89, "t"];
    const parts = [global("torch._tensor _rebuild_from_type_v2"), "(", ...meta, ...args, "}", "tR."];
    expect(run(...parts)).toMatchObject({ kind: "tensor", tensor: { dtype: "float32", shape: [3] } });
    const other = [global("torch._tensor _rebuild_from_type_v2"), "(", ...meta.slice(0, 1), "N", ...args, "}", "tR."];
    expect(() => run(...other)).toThrow(expect.objectContaining({ code: "format.pickle" }));
  });

  it.each<[string, string, readonly (number | string)[]]>([
    ["format.pickle", "nothing", []],
    ["format.pickle", "no STOP", ["N"]],
    ["format.pickle", "an empty stack", ["."]],
    ["format.pickle", "a pop through a mark", ["N(0."]],
    ["format.pickle", "a missing mark", ["Nt."]],
    ["format.pickle", "a missing memo entry", ["h", 3, "."]],
    ["format.pickle", "an unknown opcode", ["P1\n."]],
    ["format.pickle", "a protocol of the future", [0x80, 9, "N."]],
    ["format.pickle", "a string beyond the end", ["X", 0xff, 0xff, 0xff, 0x7f, "a."]],
    ["format.pickle", "a call of a dtype", [global("torch float32"), ")R."]],
    ["format.pickle", "a bare function", [global("torch Size"), "."]],
    ["format.pickle", "a tensor without a storage", [global("torch._utils _rebuild_tensor_v2"), "NNNNNN(tR."]],
    ["format.pickle", "a key without a value", ["}(Nu."]],
    ["format.limit", "a list that holds itself", ["]q", 0, "h", 0, "a."]],
    ["format.limit", "a billion laughs", ["]q", 0, ...laughs(40), "."]],
    ["format.limit", "deep nesting", [...new Array<string>(5000).fill("]"), ...new Array<string>(4999).fill("a"), "."]],
    ["format.limit", "endless copies", copies()],
  ])("the unpickler rejects with %s: %s", (code, _, parts) => {
    expect(() => unpickle(pickle(parts), "test.pkl", noStorages)).toThrow(expect.objectContaining({ code }));
  });
});

/** Each list holds the one before twice. */
function laughs(levels: number): (number | string)[] {
  return Array.from({ length: levels }, (_, level) => ["](h", level, "h", level, "eq", level + 1]).flat();
}

/** A list of 20 000 items, made a torch.Size of again and again. */
function copies(): (number | string)[] {
  const list = ["](", ...new Array<string>(20_000).fill("N"), "eq", 0, "0"];
  const again = [
    global("torch Size"),
    "q",
    1,
    "0",
    ...new Array<(number | string)[]>(20_000).fill(["h", 1, "h", 0, 0x85, "R0"]).flat(),
  ];
  return [...list, ...again, "N."];
}
