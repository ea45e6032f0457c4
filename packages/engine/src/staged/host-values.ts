import type { Value } from "@pt2/backend";
import { backendError, HostTensor, numel, type Tensor } from "@pt2/backend";
import { DTYPES } from "@pt2/format";
import type { Program } from "@pt2/graph";
import { type DeviceData, type HostData, isDeviceData, isHostData, isTensorData, type RunValue } from "./run-value.ts";

/** How a backend accepts and returns tensors that are not in host memory. */
export interface DeviceTensors {
  /** The name of the backend in errors. */
  readonly name: string;
  /**
   * Returns a tensor of the backend's own device as runs take it, and null for a tensor of another device. It is absent
   * where the backend has no device.
   */
  accept?(tensor: Tensor): DeviceData | null;
}

/**
 * Converts user inputs to what runs take. The runtime checks them against the signature; here each is checked to be
 * well formed.
 */
export function toRunValues(
  { graph, inputs: specs }: Program,
  values: readonly Value[],
  backend: DeviceTensors,
): readonly RunValue[] {
  const names = namesOf(specs);
  if (names.length !== values.length) {
    throw backendError("backend.input", {
      what: `The program takes ${names.length} inputs, but ${values.length} were given`,
      advice: "Give every user input, in flattened order; model.forward() of the runtime does.",
    });
  }
  return values.map((value, i) => {
    const kind = graph.values.get(names[i]!)?.kind;
    const given = toRunValue(value, names[i]!, backend);
    if (kind === "tensor" && !isTensorData(given)) {
      throw backendError("backend.input", {
        what: `Input \`${names[i]}\` is a tensor, but ${given === null ? "null" : `a ${typeof given}`} was given`,
        advice: "Make a tensor with tensor(dtype, shape, data).",
      });
    }
    if (kind === "symfloat" && typeof given === "number") return { float: given };
    // An int in a JavaScript number stays one, because sizes are computed with numbers. Python's ints have no -0.
    return kind === "symint" && Number.isSafeInteger(Number(given)) ? Number(given) + 0 : given;
  });
}

/** The names of user inputs by the specs of all inputs, of which a program may have thousands. */
const NAMES = new WeakMap<Program["inputs"], readonly string[]>();

function namesOf(specs: Program["inputs"]): readonly string[] {
  const known = NAMES.get(specs);
  if (known !== undefined) return known;
  const names = specs.flatMap((spec) => (spec.kind === "user_input" && spec.value !== null ? [spec.value] : []));
  NAMES.set(specs, names);
  return names;
}

function toRunValue(value: Value, name: string, backend: DeviceTensors): RunValue {
  if (typeof value !== "object" || value === null) return value;
  const { dtype, shape, bytes } = value;
  if (bytes === null) {
    const accepted = backend.accept?.(value) ?? null;
    if (accepted !== null) return accepted;
    throw backendError("backend.foreign-tensor", {
      what: `A tensor on device "${value.device}" was given to the ${backend.name} backend`,
      advice: "Read it first: await tensor.cpu().",
    });
  }
  const result = { dtype, shape, bytes };
  requireBytes(result, () => `Input \`${name}\``);
  return result;
}

/** Refuses data whose length is not that of its dtype and shape: copying it would write outside its memory. */
export function requireBytes({ dtype, shape, bytes }: HostData, what: () => string): void {
  const expected = numel(shape) * (DTYPES[dtype]?.itemsize ?? Number.NaN);
  if (bytes.byteLength === expected && shape.every((size) => Number.isSafeInteger(size) && size >= 0)) return;
  throw backendError("backend.input", {
    what: `${what()} has ${bytes.byteLength} bytes, but a ${dtype} tensor of shape [${shape.join(", ")}] has ${expected}`,
    advice: "Make tensors with tensor(dtype, shape, data), which checks their length.",
  });
}

/** Converts a result to what users get. `give` makes a tensor of data on the device; without it, no data is there. */
export function fromRunValue(value: RunValue, give?: (data: DeviceData) => Tensor): Value {
  if (isHostData(value)) return new HostTensor(value.dtype, value.shape, value.bytes);
  if (give !== undefined && isDeviceData(value)) return give(value);
  if (typeof value === "object" && value !== null) return "float" in value ? value.float : null;
  return value as Value;
}
