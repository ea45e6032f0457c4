import {
  BACKEND_API_VERSION,
  type Backend,
  type Capabilities,
  type CompileRequest,
  type Executable,
  type UnsupportedOp,
  unsupportedOps,
  type Value,
} from "@pt2/backend";
import type { TestRunner } from "@pt2/conformance";
import { Pt2Error } from "@pt2/format";
import { type Arg, isReturned, type Node, type Program, splitOpName } from "@pt2/graph";
import type { OpRegistry } from "@pt2/registry";
import { type EagerOps, eagerOps } from "./eager-ops.ts";
import type { Namespace } from "./namespaces.ts";

/** A backend that runs programs node by node, each as an eager call of the op on another backend. */
export class EagerBackend implements Backend {
  readonly name: string;
  readonly apiVersion: typeof BACKEND_API_VERSION = BACKEND_API_VERSION;
  readonly capabilities: Capabilities;
  readonly #inner: Backend;
  readonly #eager: EagerOps;

  private constructor(inner: Backend, eager: EagerOps) {
    this.name = inner.name;
    this.capabilities = { ...inner.capabilities, mutation: false, handlers: false };
    this.#inner = inner;
    this.#eager = eager;
  }

  static async on(inner: Backend): Promise<EagerBackend> {
    return new EagerBackend(inner, await eagerOps(inner));
  }

  unsupported(program: Program, registry: OpRegistry): Promise<readonly UnsupportedOp[]> {
    return this.#inner.unsupported(program, registry);
  }

  async compile({ program, registry }: CompileRequest): Promise<Executable> {
    const missing = await this.unsupported(program, registry);
    if (missing.length > 0) throw unsupportedOps(this.name, program, missing);
    const run = (inputs: readonly Value[]): Promise<readonly Value[]> => runEagerly(this.#eager, program, inputs);
    return { run, dispose: async () => {} } as unknown as Executable;
  }

  async dispose(): Promise<void> {
    await this.#eager.dispose();
    await this.#inner.dispose();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }
}

async function runEagerly(
  { ops }: EagerOps,
  { graph, outputs }: Program,
  inputs: readonly Value[],
): Promise<readonly Value[]> {
  const values = new Map<string, unknown>(graph.inputs.map((name, i) => [name!, inputs[i]]));
  const read = (arg: Arg): unknown => argument(arg, values);
  for (const node of graph.nodes) {
    const result: unknown = await callNode(ops, node, read);
    const results = node.outputs.length === 1 ? [result] : ((result ?? []) as readonly unknown[]);
    for (const [i, output] of node.outputs.entries()) {
      if (output.kind === "value") values.set(output.name, results[i]);
      if (output.kind === "list") {
        for (const [k, name] of output.names.entries()) values.set(name, (results[i] as readonly unknown[])[k]);
      }
    }
  }
  return graph.outputs.filter((_, i) => isReturned(outputs[i]!)).map(read) as readonly Value[];
}

/** Calls an op as Python would; by the name of its overload if Python's bindings do not take these arguments. */
function callNode(ops: Readonly<Record<string, Namespace>>, node: Node, read: (arg: Arg) => unknown): unknown {
  const { namespace, op, overload } = splitOpName(node.op);
  const keywords = Object.fromEntries(node.args.map(({ name, arg }) => [name, read(arg)]));
  const packet = ops[namespace]![op]!;
  // Without `center` the arguments fit both overloads, of which Python tries the other one first.
  if (op === "stft") return packet[overload || "default"]!(keywords);
  try {
    return packet(keywords);
  } catch (error) {
    if (!(error instanceof Pt2Error) || error.code !== "eager.arguments") throw error;
    return packet[overload || "default"]!(keywords);
  }
}

function argument(arg: Arg, values: ReadonlyMap<string, unknown>): unknown {
  switch (arg.kind) {
    case "none":
      return null;
    case "value":
      return values.get(arg.name);
    case "float":
      return { float: arg.value };
    case "list":
      return arg.items.map((item) => argument(item, values));
    case "complex":
      return { re: arg.re, im: arg.im };
    case "device":
      return arg.value.index === null ? arg.value.type : `${arg.value.type}:${arg.value.index}`;
    default:
      return "value" in arg ? arg.value : null;
  }
}

/** Cases of ops that stay in a functional program although they write. */
export const WRITE_THEIR_ARGUMENT = {
  "aten::dropout_": "it writes to its argument",
  "aten::feature_dropout_": "it writes to its argument",
  "aten::detach_": "it writes to its argument",
  "prims::copy_to": "it writes to its argument",
};

/** Defines the tests whose tensors are inputs: eager calls have no constants. */
export function inputsOnly(it: TestRunner["it"]): TestRunner["it"] {
  return (title, test) => (title.endsWith("(constants)") ? undefined : it(title, test));
}

/** Defines the tests without a number of more than 32 bits in their names: it is an int64 input of an eager call. */
export function shortNumbersOnly(it: TestRunner["it"]): TestRunner["it"] {
  return (title, test) => (/\d{10}/.test(title) ? undefined : it(title, test));
}

/** Defines every n-th of the tests. */
export function everyNth(n: number, it: TestRunner["it"]): TestRunner["it"] {
  let count = 0;
  return (title, test) => (count++ % n === 0 ? it(title, test) : undefined);
}
