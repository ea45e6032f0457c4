import { readFileSync } from "node:fs";
import { hostTensor, numel } from "@pt2/backend";
import type { DType } from "@pt2/format";
import { createRegistry } from "@pt2/registry";
import { aten } from "@pt2/registry/aten";
import { describe, expect, it } from "vitest";
import { functionalRecords } from "./namespaces.ts";
import { Packet } from "./packet.ts";

type Encoded =
  | null
  | boolean
  | number
  | string
  | readonly Encoded[]
  | { readonly tensor: DType; readonly shape: readonly number[] }
  | { readonly float: number }
  | { readonly keywords: Readonly<Record<string, Encoded>> };

interface Row {
  /** The overload that PyTorch chose, null where it refuses the arguments. */
  readonly op: string | null;
  readonly name: string;
  readonly args: readonly Encoded[];
}

const rows: readonly Row[] = JSON.parse(readFileSync(new URL("./overloads.golden.json", import.meta.url), "utf8"));
const ops = functionalRecords(createRegistry({ sets: [aten] })).get("aten")!;

function decoded(value: Encoded): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(decoded);
  if ("keywords" in value) {
    return Object.fromEntries(Object.entries(value.keywords).map(([name, item]) => [name, decoded(item)]));
  }
  if (!("tensor" in value)) return value;
  const { tensor, shape } = value;
  const data = { float32: Float32Array, int64: BigInt64Array, bool: Uint8Array }[tensor as "float32"];
  return hostTensor(tensor, shape, new data(numel(shape)));
}

function chosen({ name, args }: Row): string | null {
  try {
    return new Packet(ops.get(name)!).choose(args.map(decoded)).record.name;
  } catch (error) {
    expect(error).toMatchObject({ code: "eager.arguments" });
    return null;
  }
}

/** The overload to choose: of those that have records, where a 0-d tensor is not a number. */
function expected({ op, name, args }: Row): string | null {
  if (name === "clamp" && JSON.stringify(args) === ZERO_DIM_BOUND) return null;
  return ops.get(name)!.some((record) => record.name === op) ? op : null;
}

/** PyTorch reads the second bound, a 0-d tensor, which eager calls cannot. */
const ZERO_DIM_BOUND = '[{"tensor":"float32","shape":[2,3]},0,{"tensor":"float32","shape":[]}]';

describe("the overload that PyTorch's argument parser chooses is chosen", () => {
  for (const row of rows) {
    it.skipIf(!ops.has(row.name))(`${row.name}(${JSON.stringify(row.args).slice(1, -1)})`, () => {
      expect(chosen(row)).toBe(expected(row));
    });
  }
});
