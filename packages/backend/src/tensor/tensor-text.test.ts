import { readFileSync } from "node:fs";
import type { DType } from "@pt2/format";
import { expect, it } from "vitest";
import { HostTensor } from "./tensor.ts";

interface Case {
  readonly dtype: DType;
  readonly shape: readonly number[];
  readonly bytes: string;
  readonly text: string;
}

const cases: readonly Case[] = JSON.parse(readFileSync(new URL("./tensor-text.golden.json", import.meta.url), "utf8"));

it.each(cases.map((one, i) => [i, one.dtype, one.shape, one] as const))(
  "tensor %i, %s %j, prints as PyTorch prints it",
  (_, dtype, shape, { bytes, text }) => {
    expect(String(new HostTensor(dtype, shape, new Uint8Array(Buffer.from(bytes, "base64"))))).toBe(text);
  },
);
