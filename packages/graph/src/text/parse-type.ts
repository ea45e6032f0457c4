import type { Device, TensorType, ValueType } from "../ir.ts";
import type { Scanner } from "../scanner.ts";
import { contiguousStrides } from "../strides.ts";
import { toSymBool, toSymFloat, toSymInt } from "../sym/make-expr.ts";
import { parseSymFrom } from "../sym/parse-expr.ts";
import type { SymExpr, SymInt } from "../sym/sym-expr.ts";
import { dtypeOfShort } from "./short-names.ts";

/** Parses the output of `printType`. */
export function parseType(scanner: Scanner): ValueType {
  const word = scanner.word();
  if (scanner.peek("[")) return parseTensor(scanner, word);
  switch (word) {
    case "int":
      return { kind: "symint", value: parseValue(scanner, toSymInt) };
    case "float":
      return { kind: "symfloat", value: parseValue(scanner, toSymFloat) };
    case "bool":
      return { kind: "symbool", value: parseValue(scanner, toSymBool) };
    case "object":
      return { kind: "object", className: scanner.string() };
    default:
      return scanner.fail(`\`${word}\` is not a type`);
  }
}

/** Reads `cpu` or `cuda:0`. */
export function parseDevice(scanner: Scanner): Device {
  const type = scanner.tryString() ?? scanner.word();
  if (!scanner.accept(":")) return { type, index: null };
  return { type, index: Number(scanner.tryNumber() ?? scanner.fail("expected a device number")) };
}

function parseValue<T>(scanner: Scanner, convert: (expr: SymExpr) => T): T | null {
  if (!scanner.accept("(")) return null;
  const value = convert(parseSymFrom(scanner));
  scanner.expect(")");
  return value;
}

function parseTensor(scanner: Scanner, short: string): TensorType {
  const dtype = dtypeOfShort(short) ?? scanner.fail(`\`${short}\` is not a dtype`);
  const size = (): SymInt => toSymInt(parseSymFrom(scanner));
  const shape = scanner.list("[", "]", size);
  const type = {
    kind: "tensor" as const,
    dtype,
    shape,
    strides: contiguousStrides(shape),
    storageOffset: 0 as SymInt,
    device: { type: "cpu", index: null } as Device,
    requiresGrad: false,
  };
  if (!scanner.peek("{")) return type;
  scanner.list("{", "}", () => {
    const key = scanner.word();
    if (key === "grad") {
      type.requiresGrad = true;
      return;
    }
    scanner.expect("=");
    if (key === "strides") type.strides = scanner.list("[", "]", size);
    else if (key === "offset") type.storageOffset = size();
    else if (key === "device") type.device = parseDevice(scanner);
    else scanner.fail(`a tensor type has no \`${key}\``);
  });
  return type;
}
