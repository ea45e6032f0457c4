import { describe, expect, it } from "vitest";
import { fromBytes } from "./byte-source.ts";
import { fixture } from "./fixtures.test-helper.ts";
import { openArchive } from "./open-archive.ts";
import { buildZip } from "./zip/build-zip.test-helper.ts";

const text = (value: string): Uint8Array => new TextEncoder().encode(value);

function zip(entries: Readonly<Record<string, string>>): Uint8Array {
  return buildZip(Object.entries(entries).map(([name, data]) => ({ name, data: text(data) })));
}

const PT2 = { "m/archive_format": "pt2", "m/archive_version": "0" };

describe("a file that is not a .pt2 program is rejected with its kind and advice", () => {
  it.each<[string, string, Uint8Array]>([
    ["format.not-an-archive", "nothing", new Uint8Array(0)],
    ["format.not-an-archive", "text", text("hello, this is not a zip at all")],
    ["format.executorch", "ExecuTorch", text("\x1c\0\0\0ET12 and so on")],
    ["format.checkpoint", "torch.save before 1.6", Uint8Array.of(0x80, 0x02, 0x8a, 0x0a)],
    ["format.truncated", "half a file", fixture("torch-2.13/mlp.pt2").subarray(0, 5000)],
    ["format.torchscript", "TorchScript", zip({ "m/data.pkl": "", "m/constants.pkl": "", "m/code/a.py": "" })],
    ["format.checkpoint", "torch.save", zip({ "m/data.pkl": "", "m/version": "3" })],
    ["format.torch-package", "torch.package", zip({ "m/.data/extern_modules": "", "m/a.py": "" })],
    ["format.aotinductor", "AOTInductor", zip({ ...PT2, "m/data/aotinductor/model/x.wrapper.so": "" })],
    ["format.aotinductor", "AOTInductor of 2.6", zip({ archive_format: "pt2", "data/aotinductor/model/x.so": "" })],
    ["format.archive-version", "a later archive", zip({ ...PT2, "m/archive_version": "1", "m/models/a.json": "{}" })],
    ["format.unknown-archive", "an empty archive", zip(PT2)],
    ["format.unknown-archive", "any zip", zip({ "a.txt": "" })],
    ["format.weights", "big-endian weights", zip({ ...PT2, "m/models/a.json": "{}", "m/byteorder": "big" })],
  ])("a file that is not a .pt2 program is rejected with %s: %s", async (code, _, bytes) => {
    await expect(openArchive(fromBytes(bytes))).rejects.toMatchObject({ code, advice: expect.any(String) });
  });
});

describe("a file that users have beside programs is refused by its kind", () => {
  const behind = (offset: number, magic: string): Uint8Array =>
    Uint8Array.from({ length: 600 }, (_, i) => (i < offset ? 1 : magic.charCodeAt(i - offset) || 0));
  it.each<[string, number, string, RegExp, RegExp]>([
    ["gzip", 0, "\x1f\x8b\x08", /compressed with gzip/, /decompress/],
    ["tar", 257, "ustar", /a tar archive/, /extract/],
    ["safetensors", 5, '\0\0\0{"w":', /safetensors file: weights without a program/, /torch\.export\.save.*`weights`/],
    ["ONNX", 4, "pytorch", /an ONNX model/, /torch\.export\.save/],
    ["GGUF", 0, "GGUF", /a GGUF file/, /torch\.export\.save/],
    ["NumPy", 0, "\x93NUMPY", /an array of NumPy/, /torch\.export\.save/],
    ["a program as JSON", 0, '{"irVersion":1', /a program as JSON/, /weights: "model\.safetensors"/],
  ])("%s", async (_, offset, magic, what, advice) => {
    await expect(openArchive(fromBytes(behind(offset, magic)))).rejects.toMatchObject({
      code: "format.not-an-archive",
      what: expect.stringMatching(what),
      advice: expect.stringMatching(advice),
    });
  });

  it("a Python pickle is not a checkpoint of torch before 1.6", async () => {
    await expect(openArchive(fromBytes(Uint8Array.of(0x80, 4, 0x95)))).rejects.toMatchObject({
      what: "the file is a pickle of Python",
    });
  });

  it("an .npz file is named", async () => {
    await expect(openArchive(fromBytes(zip({ "a.npy": "" })))).rejects.toMatchObject({
      code: "format.unknown-archive",
      what: expect.stringContaining(".npz"),
    });
  });
});

describe("an archive is recognized", () => {
  it("an archive is recognized with AOTInductor code beside the program", async () => {
    const bytes = zip({ ...PT2, "m/models/a.json": "{}", "m/data/aotinductor/a/x.so": "" });
    expect(await openArchive(fromBytes(bytes))).toMatchObject({ models: ["a"], hasAotInductor: true, root: "m" });
  });

  it.each([
    ["1", "flat", zip({ "serialized_exported_program.json": '{"x": NaN, oops', version: "1" })],
    ["7.1", "JSON", zip({ ...PT2, "m/models/a.json": '{"schema_version": {"major": 7, "minor": 1}}' })],
    ["9.0", "JSON", zip({ ...PT2, "m/models/a.json": '{"schema_version": {"major": 9, "minor": 0}}' })],
  ])("an archive with schema version %s is recognized and rejected", async (version, _, bytes) => {
    const archive = await openArchive(fromBytes(bytes));
    await expect(archive.program()).rejects.toMatchObject({ code: "format.schema-version", details: { version } });
  });
});

describe("a weights config is checked against the bytes", () => {
  const tensor = { dtype: 7, sizes: [{ as_int: 2 }], strides: [{ as_int: 1 }], storage_offset: { as_int: 0 } };
  const meta = { ...tensor, device: { type: "cpu", index: null }, layout: 7, requires_grad: false };
  const graph = { inputs: [], outputs: [], nodes: [] };
  const program = JSON.stringify({
    graph_module: { graph, signature: { input_specs: [], output_specs: [] }, module_call_graph: [] },
    schema_version: { major: 8, minor: 20 },
  });

  const weights = async (change: object, data: string): Promise<unknown> => {
    const { tensor_meta, ...rest } = { tensor_meta: {}, ...change } as { tensor_meta: object };
    const entry = {
      path_name: "w",
      is_param: true,
      use_pickle: false,
      tensor_meta: { ...meta, ...tensor_meta },
      ...rest,
    };
    const bytes = zip({
      ...PT2,
      "m/models/a.json": program,
      "m/data/weights/a_weights_config.json": JSON.stringify({ config: { fc: entry } }),
      "m/data/weights/w": data,
    });
    return (await openArchive(fromBytes(bytes))).weights();
  };

  it("a correct weights config is accepted", async () => {
    expect(await weights({}, "12345678")).toMatchObject({ size: 1 });
  });

  it.each<[string, object, string]>([
    ["format.view", {}, "1234"],
    ["format.view", { tensor_meta: { storage_offset: { as_int: 1 } } }, "12345678"],
    ["format.view", { tensor_meta: { strides: [{ as_int: -1 }] } }, "12345678"],
    ["format.weights", { tensor_meta: { dtype: 99 } }, "12345678"],
    ["format.weights", { tensor_meta: { dtype: 10 } }, "1234"],
    ["format.weights", { tensor_meta: { layout: 1 } }, "12345678"],
    ["format.weights", { tensor_meta: { sizes: [{ as_expr: { expr_str: "s0" } }] } }, "12345678"],
    ["format.limit", { tensor_meta: { sizes: [{ as_int: 2 ** 50 }], strides: [{ as_int: 0 }] } }, "12345678"],
    ["format.no-record", { path_name: "../models/b.json" }, "12345678"],
    ["format.pickle", { use_pickle: true }, "12345678"],
  ])("a weights config is rejected with %s: %j", async (code, change, data) => {
    await expect(weights(change, data)).rejects.toMatchObject({ code });
  });
});

describe("a response in place of a missing file is recognized", () => {
  const named = (text: string, name: string) => ({ ...fromBytes(new TextEncoder().encode(text)), name });
  it.each<[string, string, RegExp]>([
    ["a page", "<!doctype html>\n<html><body>Not found</body></html>", /HTML page/],
    ["a page behind a comment", "\n<!-- app -->\n<HTML lang=en></HTML>", /HTML page/],
    [
      "a git-lfs pointer",
      "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
      /git-lfs pointer/,
    ],
    ["JSON", '{"error": "no such model"}', /JSON, not a model/],
    ["XML", '<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>', /XML, not a model/],
    ["nothing", "", /the file is empty/],
    ["something else", "weights, weights, weights", /not a zip archive/],
  ])("a response in place of a missing file is recognized: %s", async (_, text, what) => {
    await expect(openArchive(named(text, "https://models.test/model.pt2"))).rejects.toMatchObject({
      code: "format.not-an-archive",
      what: expect.stringMatching(what),
    });
  });
});
