import { type Program, parse } from "@pt2/graph";
import { type ArgValue, argValue, createRegistry, isTensorMeta, type OpSet, type TensorMeta } from "@pt2/registry";
import { aten, type ReferenceData, referenceEmitter, runReference } from "@pt2/registry/aten";

/** Runs a program with fixed sizes in the interpreter of what records say; returns the elements of each output. */
export function runProgram(
  { graph, inputs }: Program,
  elements: Readonly<Record<string, readonly number[]>>,
  ops: readonly OpSet[] = [],
): readonly (readonly number[])[] {
  const emitter = referenceEmitter(createRegistry({ sets: [aten, ...ops] }));
  const env = new Map<string, ArgValue>();
  const data: ReferenceData = new Map();
  for (const spec of inputs) {
    if (!("value" in spec) || spec.value === null) continue;
    const type = graph.values.get(spec.value);
    if (type?.kind !== "tensor") continue;
    const meta: TensorMeta = { dtype: type.dtype, shape: type.shape as readonly number[] };
    env.set(spec.value, meta);
    data.set(meta, [...elements["target" in spec ? spec.target : spec.value]!]);
  }
  for (const node of graph.nodes) {
    const args = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, env, node)]));
    const results = emitter.emit(node.op, args, node);
    for (const [i, output] of node.outputs.entries()) {
      if (output.kind === "value") env.set(output.name, results[i]!);
      if (output.kind !== "list") continue;
      for (const [k, name] of output.names.entries()) env.set(name, (results[i] as readonly ArgValue[])[k]!);
    }
  }
  for (const call of emitter.calls) runReference(call, data);
  return graph.outputs.map((arg) => {
    const value = arg.kind === "value" ? env.get(arg.name) : undefined;
    return isTensorMeta(value) ? data.get(value)!.map(Number) : [];
  });
}

/** A program of one input x, float64 [3], whose loss is the sum of the y that `body` computes. */
export function ofInput(body: string): Program {
  return parse(`program {
  user_input %x: f64[3]
  forward ("x")
  in_spec tuple(tuple(*), dict())
  out_spec *
  ${body}
  %loss: f64[] = aten::sum(self=%y)
  return %loss
}`);
}
