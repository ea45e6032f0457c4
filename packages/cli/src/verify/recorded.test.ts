import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { findBuiltAddon } from "@pt2/backend-libtorch/node";
import { fromBytes, readSafetensors, type TensorData, writeSafetensors } from "@pt2/format";
import { describe, expect, it } from "vitest";
import { fixturePath, pt2, temporaryFolder } from "../fixtures.test-helper.ts";
import { perNodeText } from "./per-node-text.ts";

const BACKENDS = (await findBuiltAddon()) === undefined ? ["wasm"] : ["wasm", "libtorch"];

/** What the recorder made of a fixture, committed beside it. */
function nodesOf(name: string): string {
  return fixturePath(`nodes/${name.split("/").at(-1)}.safetensors`);
}

async function verify(name: string, nodes: string, ...more: readonly string[]) {
  return await pt2("verify", fixturePath(`${name}.pt2`), "--per-node", "--expected", nodes, ...more);
}

/** A copy of a file of nodes with other tensors or notes. */
async function changed(
  path: string,
  change: (tensors: Map<string, TensorData>, notes: Record<string, Record<string, unknown>>) => void,
): Promise<string> {
  const { tensors, metadata } = await readSafetensors(fromBytes(readFileSync(path)));
  const copies = new Map(tensors);
  const notes = JSON.parse(metadata.get("pt2.nodes")!);
  change(copies, notes);
  const chunks: Uint8Array[] = [];
  await writeSafetensors(
    copies,
    async (bytes) => void chunks.push(bytes),
    new Map([["pt2.nodes", JSON.stringify(notes)]]),
  );
  const file = join(temporaryFolder(), "nodes.safetensors");
  writeFileSync(file, Buffer.concat(chunks));
  return file;
}

function floats(shape: readonly number[], ...elements: readonly number[]): TensorData {
  return { dtype: "float32", shape, bytes: new Uint8Array(Float32Array.from(elements).buffer) };
}

function handlers(text: string): readonly ["--ops", string] {
  const path = join(temporaryFolder(), "mine.mjs");
  writeFileSync(path, `export const handlers = [${text}];`);
  return ["--ops", path];
}

/** A program with dtypes that safetensors lacks, data-dependent sizes, and memory that nothing was written to. */
const EXPORT_KINDS = `
import sys, torch
class Kinds(torch.nn.Module):
    def forward(self, x, *, scale, times=3):
        fresh = torch.empty(3, 4)
        fresh.copy_(x)
        double = torch.complex(x.double(), 2 * x.double()) * 3
        low = x.to(torch.float8_e4m3fn).to(torch.float32)
        positive = x > 0
        found = torch.nonzero(positive)
        first, _ = x.split(2, 1)
        return fresh, double.conj(), low, (100 * x.abs()).to(torch.uint16), x.to(torch.int64) * times, found, found.shape[0] * 2, first * scale
torch.manual_seed(0)
x = torch.randn(3, 4)
torch.export.save(torch.export.export(Kinds(), (x,), {"times": 2, "scale": x[:, :2]}), sys.argv[1])
`;

const WRONG_RELU = `{ ops: ["aten::relu"], rewrite: ({ self }) => self }`;
const WRONG_ADD = `{ ops: ["aten::add.Tensor"], compile: () => ({ args }) => ({ ...args.self, data: args.self.data.slice() }) }`;

describe.each(BACKENDS)("pt2 verify --per-node --expected on %s", (backend) => {
  const on = ["--backend", backend] as const;

  it.each([
    ["torch-2.13/mlp", 3],
    ["torch-2.13/inplace", 10],
    ["torch-2.13/buffers", 5],
    ["torch-2.13/nograd", 3],
    ["torch-2.13/lists", undefined],
    ["torch-2.13/cond", 5],
    ["programs/nested_cond", 9],
    ["programs/while_loop", 88],
    ["programs/sizes", 28],
    ["programs/from_data", undefined],
    ["programs/dtypes", 15],
    ["programs/mutated_input", undefined],
  ] as const)("agrees with PyTorch: %s", async (name, values) => {
    const { code, out } = await verify(name, nodesOf(name), ...on);
    expect(out).toMatch(new RegExp(`^ok: ${values ?? "\\d+"} values of ${backend} against .*worst error`));
    expect(out).not.toContain("recorded, and not in the program");
    expect(code).toBe(0);
  });

  it.each(["exact", "fast"])("finds a wrong handler at its node, precision %s", async (precision) => {
    const args = [...on, ...handlers(WRONG_RELU), "--precision", precision];
    const { code, out } = await verify("torch-2.13/mlp", nodesOf("mlp"), ...args);
    expect(out).toContain("First to diverge: %relu, aten::relu %relu (make_fixtures.py:91, in forward)");
    expect(out).toContain("worst element [1, 10] is -0.722699, expected 0");
    expect(out).toMatch(/operands: %linear agrees \(/);
    expect(out).toContain("this node alone diverges too: the fault is here");
    expect(out).toContain("1 later value diverges too");
    expect(code).toBe(1);
  });

  it("tells a wrong handler from a reference with another one, in JSON", async () => {
    const { out } = await verify("torch-2.13/mlp", nodesOf("mlp"), ...on, ...handlers(WRONG_RELU), "--json");
    expect(JSON.parse(out)).toMatchObject({
      ok: false,
      backend,
      precision: "exact",
      first: {
        value: "relu",
        op: "aten::relu",
        modulePath: "",
        line: "make_fixtures.py:91, in forward",
        fault: "here",
        operands: [{ value: "linear", kind: "node", comparison: { ok: true } }],
      },
      unmatched: { removed: [], hidden: [], unknown: [] },
      unrecorded: [],
    });
  });

  it("finds a wrong handler inside a nested graph", async () => {
    const { code, out } = await verify("torch-2.13/cond", nodesOf("cond"), ...on, ...handlers(WRONG_ADD));
    expect(out).toContain("First to diverge: %cond.true_graph_0.add, aten::add.Tensor");
    expect(out).toContain("operands: %cond.true_graph_0.mul agrees (0 of the tolerance)");
    expect(out).toContain("the fault is here");
    expect(code).toBe(1);
  });

  it("finds the turn of a loop in which a value diverges", async () => {
    const name = "while_loop.while_loop_body_graph_0.div#2";
    const nodes = await changed(nodesOf("while_loop"), (tensors) => {
      const tensor = tensors.get(name)!;
      tensors.set(name, { ...tensor, bytes: new Uint8Array(tensor.bytes.byteLength) });
    });
    const { code, out } = await verify("programs/while_loop", nodes, ...on);
    expect(out).toContain(`First to diverge: %${name}, aten::div`);
    expect(code).toBe(1);
  });

  it("compares NaN, wrong shapes, scalars and types", async () => {
    const find = async (change: Parameters<typeof changed>[1]): Promise<string> =>
      (await verify("torch-2.13/mlp", await changed(nodesOf("mlp"), change), ...on)).out;
    const linear = floats([5, 11], ...Array.from({ length: 55 }, () => Number.NaN));
    expect(await find((tensors) => tensors.set("linear", linear))).toContain("expected NaN; 55 of 55 outside");
    expect(await find((tensors) => tensors.set("linear", floats([11, 5], ...new Float32Array(55))))).toContain(
      "float32 [5, 11] instead of float32 [11, 5]",
    );
    const typed = await find((tensors, notes) => {
      tensors.delete("linear");
      notes.shapes!.linear = ["float32", [5, 11]];
    });
    expect(typed).toMatch(/^ok: 3 values/);
    const wrong = await find((tensors, notes) => {
      tensors.delete("linear");
      notes.shapes!.linear = ["float32", [5, 12]];
    });
    expect(wrong).toContain("float32 [5, 11] instead of float32 [5, 12]");
    const stored = await find((tensors, notes) => {
      tensors.set("linear", { dtype: "uint8", shape: [16], bytes: new Uint8Array(16) });
      notes.bytes!.linear = ["complex128", [1]];
    });
    expect(stored).toContain("float32 [5, 11] instead of complex128 [1]");
    const scalar = await find((tensors, notes) => {
      tensors.delete("linear");
      notes.scalars!.linear = ["float", "Infinity"];
    });
    expect(scalar).toContain("float32 [5, 11] instead of Infinity");
  });

  it("says what it does not compare", async () => {
    const nodes = await changed(nodesOf("mlp"), (tensors) => {
      tensors.set("gone", tensors.get("relu")!);
      tensors.delete("relu");
    });
    const { code, out } = await verify("torch-2.13/mlp", nodes, ...on);
    expect(out).toMatch(/^ok: 2 values/);
    expect(out).toContain("recorded, and not in the program: 1 value (%gone)");
    expect(out).toContain("in the program, and not recorded: 1 value (%relu)");
    expect(code).toBe(0);
    const broken = await verify("torch-2.13/mlp", nodes, ...on, ...handlers(WRONG_RELU));
    expect(broken.out).toContain("First to diverge: %linear_1");
    expect(broken.out).toContain("operands: %relu was not compared, ");
    expect(broken.code).toBe(1);
  });
});

describe("pt2 verify --per-node --expected", () => {
  it("takes NaN for equal to NaN", async () => {
    const nan = `{ ops: ["aten::relu"], compile: () => ({ args }) => ({ ...args.self, data: args.self.data.map(() => NaN) }) }`;
    const nodes = await changed(nodesOf("mlp"), (tensors) => {
      tensors.set("relu", floats([5, 11], ...Array.from({ length: 55 }, () => Number.NaN)));
      tensors.delete("linear_1");
    });
    const { out } = await verify("torch-2.13/mlp", nodes, ...handlers(nan));
    expect(out).toMatch(/^ok: 2 values/);
  });

  it("says that small errors of operands grow in a node", async () => {
    const shifted = `{ ops: ["aten::relu"], compile: () => ({ args }) => ({ ...args.self, data: args.self.data.map((x) => Math.max(x, 0) + SHIFT) }) }`;
    const run = (shift: string, atol: string) =>
      verify(
        "torch-2.13/mlp",
        nodesOf("mlp"),
        ...handlers(shifted.replace("SHIFT", shift)),
        "--rtol",
        "0",
        "--atol",
        atol,
      );
    const { out } = await run("1e-3", "1.01e-3");
    expect(out).toContain("First to diverge: %linear_1");
    expect(out).toContain("%relu agrees (0.99 of the tolerance)");
    expect(out).toContain("this node alone agrees: small errors of its operands grow here");
    expect((await run("1e-3", "0.99e-3")).out).toContain("First to diverge: %relu");
  });

  it("tells random numbers from a fault", async () => {
    const random = `{ ops: ["aten::relu"], compile: () => ({ args }) => ({ ...args.self, data: args.self.data.map(() => Math.random()) }) }`;
    const { out } = await verify("torch-2.13/mlp", nodesOf("mlp"), ...handlers(random));
    expect(out).toContain("First to diverge: %relu");
    expect(out).toContain("this node gives another result in every run: random numbers cannot agree");
  });

  it.each([
    [["--reference", "wasm"], "--per-node compares with --expected or with --reference, not with both"],
    [["--precision", "high"], '--precision is exact or fast, not "high"'],
    [["--scalar", "x=1"], "--scalar changes nothing here: the program runs on the recorded inputs"],
  ] as const)("rejects %j", async (more, message) => {
    const { code, err } = await verify("torch-2.13/mlp", nodesOf("mlp"), ...more);
    expect(err).toContain(message);
    expect(code).toBe(2);
  });

  it("rejects the nodes of another program, and of another version of the format", async () => {
    const other = await verify(
      "torch-2.13/mlp",
      nodesOf("sizes"),
      "--inputs",
      fixturePath("torch-2.13/mlp.inputs.safetensors"),
    );
    expect(other.err).toContain("None of the recorded names is a value of this program");
    const later = await changed(nodesOf("mlp"), (_, notes) => {
      Object.assign(notes, { version: 2 });
    });
    expect((await verify("torch-2.13/mlp", later)).err).toContain("The nodes were recorded in version 2 of the format");
  });

  it("rejects damaged notes", async () => {
    const nodes = await changed(nodesOf("mlp"), (_, notes) => {
      notes.scalars!.relu = ["int", "many"];
    });
    const { code, err } = await verify("torch-2.13/mlp", nodes);
    expect(err).toContain("The recorded values are damaged");
    expect(code).toBe(2);
  });

  it("--precision needs recorded nodes", async () => {
    const { code, err } = await pt2("verify", fixturePath("torch-2.13/mlp.pt2"), "--per-node", "--precision", "fast");
    expect(err).toContain("--precision needs --per-node --expected");
    expect(code).toBe(2);
  });
});

it("perNodeText shows as many digits as tell elements apart", () => {
  const worst = { index: [0], expected: 3.5690801, actual: 3.5690803 };
  const comparison = { ok: false, ratio: 2, maxAbs: 2e-7, bad: 1, count: 4, worst };
  const where = { op: "aten::neg", where: "aten::neg (node y)", modulePath: "", line: null };
  const check = { value: "y", node: "y", ...where, comparison };
  const first = { ...check, operands: [], fault: null, fused: true };
  const text = perNodeText({ ok: false, reference: "wasm", checks: [check], first }, "webgpu", (_, shown) => shown);
  expect(text).toContain("worst element [0] is 3.5690803, expected 3.5690801; 1 of 4 outside");
  expect(text).toContain("node by node every value agrees: the fusion of a whole run makes the difference");
});

it("pt2 verify --per-node --reference compares a handler with what it replaces", async () => {
  const inputs = ["--inputs", fixturePath("torch-2.13/mlp.inputs.safetensors")];
  const file = fixturePath("torch-2.13/mlp.pt2");
  for (const reference of BACKENDS) {
    const args = ["--per-node", "--backend", "wasm", "--reference", reference, ...handlers(WRONG_RELU)];
    const { code, out } = await pt2("verify", file, ...inputs, ...args);
    expect(out).toContain("First to diverge: %relu, aten::relu %relu (make_fixtures.py:91, in forward)");
    expect(out).toContain("the fault is here");
    expect(code).toBe(1);
  }
});

describe.skipIf(process.env.PT2_PYTHON === undefined)("record_nodes.py", () => {
  const script = join(temporaryFolder(), "record_nodes.py");
  /** Runs Python, and returns what it wrote to stderr. */
  const python = (...args: readonly string[]): string => {
    const { status, stderr } = spawnSync(process.env.PT2_PYTHON!, args, { encoding: "utf8" });
    expect({ status, stderr }).toMatchObject({ status: 0 });
    return stderr;
  };
  const record = (name: string, ...more: readonly string[]): string => {
    const output = join(temporaryFolder(), "nodes.safetensors");
    expect(python(script, fixturePath(`${name}.pt2`), output, ...more)).toBe("");
    return output;
  };
  const namesIn = async (path: string): Promise<readonly string[]> => [
    ...(await readSafetensors(fromBytes(readFileSync(path)))).tensors.keys(),
  ];

  it("pt2 recorder prints it", async () => {
    expect((await pt2("recorder")).out).toContain("Records what every node of an exported program returns");
    expect(await pt2("recorder", "-o", script)).toMatchObject({ code: 0, out: `${script}\n` });
  });

  it.each(["torch-2.13/inplace", "torch-2.13/cond", "programs/while_loop"])(
    "writes the fixture of %s",
    async (name) => {
      const [now, before] = [record(name, "--threads", "1"), nodesOf(name)];
      expect(readFileSync(now).equals(readFileSync(before))).toBe(true);
    },
  );

  it("says which file is not there, instead of a traceback", () => {
    const wrong = [["nowhere.pt2"], [fixturePath("torch-2.13/mlp.pt2"), "--inputs", "nowhere.safetensors"]];
    for (const [file, ...more] of wrong) {
      const { status, stderr } = spawnSync(process.env.PT2_PYTHON!, [script, file!, "out.safetensors", ...more], {
        encoding: "utf8",
      });
      expect([status, stderr]).toEqual([1, `There is no file ${more.at(-1) ?? file}\n`]);
    }
  });

  it("records the nodes that match, and types of large tensors", async () => {
    expect(await namesIn(record("torch-2.13/mlp", "--nodes", "aten.relu*"))).toEqual(["x", "relu"]);
    expect(await namesIn(record("torch-2.13/mlp", "--nodes", "b"))).toEqual(["x", "linear_1"]);
    const typed = record("torch-2.13/mlp", "--shapes-above", "15");
    expect(await namesIn(typed)).toEqual(["x", "linear_1"]);
    const { code, out } = await verify("torch-2.13/mlp", typed);
    expect(out).toMatch(/^ok: 3 values/);
    expect(code).toBe(0);
  });

  it.skipIf(BACKENDS.length === 1)("records every dtype, sizes, and inputs by keyword", async () => {
    const folder = temporaryFolder();
    const [file, nodes] = [join(folder, "kinds.pt2"), join(folder, "nodes.safetensors")];
    python("-c", EXPORT_KINDS, file);
    python(script, file, nodes);
    const { tensors, metadata } = await readSafetensors(fromBytes(readFileSync(nodes)));
    const notes = JSON.parse(metadata.get("pt2.nodes")!);
    expect(notes).toMatchObject({
      bytes: { _conj: ["complex128", [3, 4]] },
      scalars: { sym_size_int_1: ["int", "5"], ge: ["bool", "true"], times: ["int", "2"] },
    });
    expect(new Set([...tensors.values()].map(({ dtype }) => dtype))).toEqual(
      new Set(["float32", "float64", "uint8", "float8_e4m3fn", "uint16", "bool", "int64"]),
    );
    expect([...tensors.keys()]).not.toContain("empty");
    const { out } = await pt2("verify", file, "--per-node", "--expected", nodes, "--backend", "libtorch");
    expect(out).toMatch(/^ok: /);
    expect(out).not.toContain("recorded, and not in the program");
  });

  it("takes inputs from a file", async () => {
    const inputs = ["--inputs", fixturePath("torch-2.13/mlp.inputs.safetensors")];
    expect((await verify("torch-2.13/mlp", record("torch-2.13/mlp", ...inputs))).code).toBe(0);
  });
});
