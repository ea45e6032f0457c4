// Checks the gradient rules of users' ops; it is loaded only for these.
import { Pt2Error } from "@pt2/format";
import { closestName } from "@pt2/format/options";
import { describeNode } from "@pt2/graph";
import {
  type ArgValue,
  builderOf,
  isTensorMeta,
  type OpRecord,
  type OpSet,
  type SchemaType,
  type TensorMeta,
} from "@pt2/registry";
import { NotLoaded } from "@pt2/registry/on-demand";
import { autogradError } from "./autograd-errors.ts";
import type { Call, Gradients } from "./gradient-rule.ts";

/** Wraps the gradient rules of an op set, so that errors say what is wrong with their results. */
export function checkedSet(set: OpSet): OpSet {
  const parts = set.parts?.map((part) => ({ ...part, load: async () => (await part.load()).map(checkedGradient) }));
  return { ...set, ops: set.ops.map(checkedGradient), ...(parts === undefined ? {} : { parts }) };
}

function checkedGradient(record: OpRecord): OpRecord {
  const { gradient } = record;
  if (gradient === undefined || gradient === null) return record;
  return {
    ...record,
    gradient(call: Call, b) {
      const fail = (what: string, cause?: unknown): never => {
        throw autogradError("autograd.rule", {
          what: `The gradient rule of ${record.name} ${what}`,
          where: call.node && describeNode(call.node),
          advice: "Return an object of gradients by the names of arguments, { self: … }; null where none flows.",
          details: { op: record.name },
          cause,
        });
      };
      if (typeof gradient !== "function") return fail(`is ${describe(gradient)}, not a function`);
      const known = new Set<ArgValue>([Object.values(call.args), call.results, call.grads].flat(2));
      const noting = builderOf((op, args) => {
        const results = b.call(op, args);
        for (const result of results.flat()) known.add(result);
        return results;
      });
      const answer = run(() => gradient.call(record, call, noting), fail);
      const problem = problemOf(answer, record, call, known);
      return problem === null ? answer : fail(problem);
    },
  };
}

function run<T>(rule: () => T, fail: (what: string, cause: unknown) => never): T {
  try {
    const answer = rule();
    // What it rejects with says less than that it is a Promise.
    if (answer instanceof Promise) answer.catch(() => {});
    return answer;
  } catch (error) {
    if (error instanceof Pt2Error || error instanceof NotLoaded) throw error;
    return fail(`failed: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** Returns what is wrong with the result of a rule, or null. */
function problemOf(
  answer: Gradients | undefined,
  { schema }: OpRecord,
  { args }: Call,
  known: ReadonlySet<ArgValue>,
): string | null {
  if (answer instanceof Promise) return "returned a Promise, but rules must be synchronous";
  if (typeof answer !== "object" || answer === null || Array.isArray(answer) || isTensorMeta(answer)) {
    return `returned ${describe(answer)}, not an object of gradients`;
  }
  const types = new Map(schema.args.flatMap(({ name, type }) => (hasTensor(type) ? [[name, type]] : [])));
  for (const [name, gradient] of Object.entries(answer)) {
    if (!types.has(name)) {
      const meant = closestName(name, types.keys());
      const hint = meant === undefined ? "" : `; did you mean \`${meant}\`?`;
      return `returned a gradient for \`${name}\`, which is not a tensor argument${hint}`;
    }
    if (gradient === null) continue;
    const operand = args[name] ?? null;
    const isList = Array.isArray(operand);
    if (isList && !(Array.isArray(gradient) && gradient.length === operand.length)) {
      return `returned ${describe(gradient)} for \`${name}\`, which is a list of ${operand.length} tensors`;
    }
    for (const each of isList ? (gradient as readonly (TensorMeta | null)[]) : [gradient]) {
      if (each === null) continue;
      if (!isTensorMeta(each)) return `returned ${describe(each)} for \`${name}\`, not a tensor`;
      if (!known.has(each)) return `returned a tensor for \`${name}\` that no call of the builder returned`;
    }
  }
  return null;
}

function hasTensor(type: SchemaType): boolean {
  return type.kind === "base" ? type.base === "Tensor" : "inner" in type && hasTensor(type.inner);
}

function describe(value: unknown): string {
  if (value === undefined) return "nothing";
  if (isTensorMeta(value)) return "a tensor";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  return typeof value === "object" && value !== null ? "an object" : String(value);
}
