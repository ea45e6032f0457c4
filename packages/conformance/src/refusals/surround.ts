import type { Arg, NamedArg, Node, Output, Program, TensorType } from "@pt2/graph";

/**
 * Puts elementwise ops before and after the only call of a program: indices are computed (as sums with zero), and
 * floating point results are negated. The checks of the call must work whatever a backend fuses with it.
 */
export function surround(program: Program): Program {
  const { graph } = program;
  const values = new Map(graph.values);
  const before: Node[] = [];
  const behind: Node[] = [];
  const tensorOf = (name: string): TensorType | null => {
    const type = graph.values.get(name);
    return type?.kind === "tensor" ? type : null;
  };
  const node = (op: Node["op"], name: string, args: readonly NamedArg[], type: TensorType): Node => {
    values.set(name, type);
    const output: Output = { kind: "value", name };
    return { name, op, args, outputs: [output], origin: {} };
  };
  const computed = new Map<string, string>();
  for (const name of graph.inputs) {
    const type = name === null ? null : tensorOf(name);
    if (name === null || type === null || !/^int(32|64)$/.test(type.dtype)) continue;
    computed.set(name, `${name}_sum`);
    const args = [
      { name: "self", arg: { kind: "value", name } as const },
      { name: "other", arg: { kind: "int", value: 0 } as const },
    ];
    before.push(node("aten::add.Scalar", `${name}_sum`, args, type));
  }
  const replaced = (arg: Arg): Arg => {
    if (arg.kind === "list") return { ...arg, items: arg.items.map(replaced) };
    return arg.kind === "value" ? { ...arg, name: computed.get(arg.name) ?? arg.name } : arg;
  };
  const outputs = graph.outputs.map((arg): Arg => {
    const type = arg.kind === "value" ? tensorOf(arg.name) : null;
    if (arg.kind !== "value" || type === null || !type.dtype.startsWith("float")) return arg;
    const name = `${arg.name}_neg`;
    if (!values.has(name)) behind.push(node("aten::neg", name, [{ name: "self", arg }], type));
    return { kind: "value", name };
  });
  const calls = graph.nodes.map((each) => ({
    ...each,
    args: each.args.map(({ name, arg }) => ({ name, arg: replaced(arg) })),
  }));
  return { ...program, graph: { ...graph, nodes: [...before, ...calls, ...behind], outputs, values } };
}
