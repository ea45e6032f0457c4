import type { Arg, NamedArg, OpName, OutputSpec, Program, TensorType } from "../../ir.ts";
import { isStateMutation } from "../../query/output-kinds.ts";
import { sameSizes } from "../../strides.ts";
import { requireProgram } from "../../validate/require-program.ts";
import { GraphBuilder } from "../graph-builder.ts";
import { Substitution } from "../substitution.ts";

/**
 * Converts and expands new values of buffers to what the buffers are, as `copy_` does: decomposing a program drops what comes
 * before its copies. Results that are such a value are what was copied.
 */
export function fitMutations(program: Program): Program {
  requireProgram("fitMutations()", program);
  const { graph } = program;
  const unfit = unfitMutations(program);
  if (unfit.length === 0) return program;
  const builder = new GraphBuilder(graph);
  for (const node of graph.nodes) builder.push(node);
  const fitted = new Substitution();
  for (const { value, type, target } of unfit) {
    if (fitted.has(value)) continue;
    let arg: Arg = { kind: "value", name: value };
    const emit = (op: OpName, args: readonly NamedArg[], made: TensorType): void => {
      const [name] = builder.emit({
        op,
        args: [{ name: "self", arg }, ...args],
        results: [{ name: `${value}_fitted`, type: made }],
        origin: {},
      });
      arg = { kind: "value", name: name! };
    };
    const { dtype, shape } = target;
    if (type.dtype !== dtype) {
      emit("aten::to.dtype", [{ name: "dtype", arg: { kind: "dtype", value: dtype } }], { ...type, dtype });
    }
    const size: Arg = { kind: "list", items: shape.map((one) => ({ kind: "int", value: one as number })) };
    const isKnown = shape.every((one) => typeof one !== "object");
    if (isKnown && type.shape.join() !== shape.join()) emit("aten::expand", [{ name: "size", arg: size }], target);
    fitted.bind(value, arg);
  }
  return { ...program, graph: builder.build(graph.outputs.map((arg) => fitted.arg(arg))) };
}

/** A result that becomes the value of a buffer or parameter of another dtype or shape. */
interface UnfitMutation {
  readonly value: string;
  readonly type: TensorType;
  readonly target: TensorType;
}

/** Finds results whose dtype or shape is not that of the buffer or parameter that they are the new value of. */
function unfitMutations({ graph, inputs, outputs }: Program): readonly UnfitMutation[] {
  const typeOf = (arg: Arg | undefined): TensorType | undefined => {
    const type = arg?.kind === "value" ? graph.values.get(arg.name) : undefined;
    return type?.kind === "tensor" ? type : undefined;
  };
  const placeholderOf = (spec: OutputSpec): string | null | undefined => {
    if (!isStateMutation(spec)) return undefined;
    const input = inputs.find((one) => "target" in one && one.target === spec.target);
    return input && "value" in input ? input.value : undefined;
  };
  return outputs.flatMap((spec, i) => {
    const [arg, old] = [graph.outputs[i], placeholderOf(spec)];
    const [type, target] = [typeOf(arg), typeOf(old ? { kind: "value", name: old } : undefined)];
    const fits = !type || !target || (type.dtype === target.dtype && sameSizes(type.shape, target.shape));
    return fits || arg?.kind !== "value" ? [] : [{ value: arg.name, type, target }];
  });
}
