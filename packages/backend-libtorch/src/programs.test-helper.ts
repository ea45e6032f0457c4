import type { CompileRequest, HostTensor, Value } from "@pt2/backend";
import { programOf, registryOf, weightOf } from "@pt2/conformance";
import type { WeightTensor } from "@pt2/format";
import type { LibtorchBackend } from "./backend.ts";
import type { LibtorchExecutable } from "./executable.ts";

const registry = registryOf();

/** Adds its input to a buffer, and returns what the buffer is then. */
export const ACCUMULATE: string = `
  buffer "sum" = %sum: f32[3]
  user_input %x: f32[3]
  %total: f32[3] = aten::add_.Tensor(%sum, other=%x)
  %copy: f32[3] = aten::clone(%total)
  return %copy`;

/** Loops until it is aborted. */
export const ENDLESS: string = `
  user_input %x: f32[1]
  while_loop: [%y: f32[1]] = higher_order::while_loop(graph more(%a: f32[1]) {
    %go: bool[1] = aten::eq.Tensor(%a, other=%a)
    return %go
  }, graph body(%a: f32[1]) {
    %b: f32[1] = aten::neg(%a)
    return %b
  }, [%x], [])
  return %y`;

/** Compiles the lines of a program; weights are given as tensors. */
export function compileBody(
  backend: LibtorchBackend,
  body: string,
  weights: Readonly<Record<string, HostTensor | WeightTensor>> = {},
  options: Partial<CompileRequest> = {},
): Promise<LibtorchExecutable> {
  const table = Object.entries(weights).map(
    ([name, one]) => [name, "storage" in one ? one : weightOf(name, one)] as const,
  );
  return backend.compile({ program: programOf(body), weights: new Map(table), registry, ...options });
}

/** The elements of a result. */
export function elementsOf(value: Value | undefined): readonly (number | bigint)[] {
  if (typeof value !== "object" || value === null || value.data === null)
    throw new Error(`${value} is not a host tensor`);
  return Array.from<number | bigint>(value.data as Float32Array);
}
