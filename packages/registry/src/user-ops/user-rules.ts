import { DTYPES, Pt2Error } from "@pt2/format";
import { type Builder, builderOf } from "../builder.ts";
import type { HandlerResult, OpHandler } from "../handler.ts";
import { type LoweredTensor, tensorsIn } from "../lower/lowered-tensor.ts";
import { resultsOf } from "../lower/results.ts";
import { NotLoaded } from "../not-loaded.ts";
import type { OpRecord } from "../op.ts";
import { registryError } from "../registry-errors.ts";
import type { SchemaType } from "../schema/types.ts";
import type { ArgValue } from "../tensor-meta.ts";
import { isTensorMeta } from "../wrapped.ts";
import { describeValue } from "./describe-value.ts";

type Args = Readonly<Record<string, ArgValue>>;

/** Wraps a record of a user, so that errors say what is wrong with the results of its rules. */
export function checkedRecord(record: OpRecord): OpRecord {
  const { scalar, view, infer, decompose, compute, validate, promote } = record;
  const rule = (name: string): Rule => new Rule(record.name, `\`${name}\` rule`);
  const check: { -readonly [Name in keyof OpRecord]?: OpRecord[Name] } = {};
  if (scalar !== undefined) check.scalar = (...operands) => rule("scalar").expression(() => scalar(...operands));
  if (view !== undefined) check.view = (self, args) => rule("view").geometry(() => view(self, args));
  if (infer !== undefined) check.infer = (args) => rule("infer").results(record, () => infer(args)) as never;
  if (validate !== undefined) check.validate = (args) => rule("validate").run(() => validate(args));
  if (typeof promote === "function") check.promote = (args) => rule("promote").run(() => promote(args));
  if (decompose !== undefined) {
    check.decompose = (args, b) =>
      rule("decompose").made(record, args, b, (builder) => decompose(args, builder)) as never;
  }
  if (compute !== undefined) check.compute = (args) => rule("compute").computed(record, args, () => compute(args));
  return { ...record, ...check };
}

/** Wraps a handler, so that errors say what is wrong with the result of its `rewrite`. */
export function checkedHandler(handler: OpHandler): OpHandler {
  const { ops, replace } = handler;
  return {
    ops,
    ...(replace === undefined ? {} : { replace }),
    ...(handler.compile === undefined ? {} : { compile: (node, ctx) => handler.compile!(node, ctx) }),
    ...(handler.rewrite === undefined
      ? {}
      : {
          rewrite: (args, b, op) => {
            const rule = new Rule(op, "handler's `rewrite`");
            return rule.made(null, args, b, (builder) => handler.rewrite!(args, builder, op));
          },
        }),
  };
}

/** A function that a user wrote for an op. */
class Rule {
  readonly #op: string;
  readonly #name: string;

  constructor(op: string, name: string) {
    this.#op = op;
    this.#name = name;
  }

  /** Runs the function; an error without a code is reported as a failure of the rule. */
  run<T>(work: () => T): T {
    try {
      const answer = work();
      if (!(answer instanceof Promise)) return answer;
      answer.catch(() => {});
    } catch (error) {
      if (error instanceof Pt2Error || error instanceof NotLoaded) throw error;
      throw this.#mistake(`failed: ${error instanceof Error ? error.message : String(error)}`, error);
    }
    throw this.#mistake("returned a Promise, but rules must be synchronous");
  }

  /** Runs a rule that returns an expression of the scalar language. */
  expression<T>(work: () => T): T {
    const answer = this.run(work);
    if (typeof answer === "object" && answer !== null && "kind" in answer) return answer;
    throw this.#mistake(
      `returned ${describeValue(answer)}, not an expression: write \`scalar.mul(x, 2)\`, with \`scalar\` of @pt2/registry/scalar, not \`x * 2\``,
    );
  }

  /** Runs a rule that returns the geometry of views. */
  geometry<T>(work: () => T): T {
    const answer = this.run(work);
    const views: readonly unknown[] = answer === null ? [] : Array.isArray(answer) ? answer : [answer];
    const wrong = views.findIndex((view) => !isStrided(view));
    if (wrong < 0) return answer;
    throw this.#mistake(`returned ${describeValue(views[wrong])}, not \`{ shape, strides, offset }\` of integers`);
  }

  /** Runs a rule that returns one entry per return of the schema. */
  results({ schema: { returns } }: OpRecord, work: () => unknown): unknown {
    const answer = this.run(work);
    if (returns.length === 0) return answer;
    const answers = returns.length === 1 ? [answer] : answer;
    if (!Array.isArray(answers) || answers.length !== returns.length) {
      throw this.#mistake(`returned ${describeValue(answer)}, but the op has ${returns.length} results`);
    }
    for (const [i, { type }] of returns.entries()) {
      const wrong = mismatch(type, answers[i]);
      if (wrong !== null) throw this.#mistake(`returned ${wrong}`);
    }
    return answer;
  }

  /** Runs a rule that returns tensors of the builder, or its own arguments. */
  made(record: OpRecord | null, args: Args, b: Builder, work: (b: Builder) => unknown): ArgValue | undefined {
    const known = new Set<LoweredTensor>(Object.values(args).flatMap(tensorsIn));
    const builder = builderOf((op, given) => {
      const results = b.call(op, given);
      for (const tensor of results.flatMap(tensorsIn)) known.add(tensor);
      return results;
    });
    const answer = this.run(() => work(builder)) as ArgValue | undefined;
    if (answer === undefined || answer === null) {
      if (record === null || answer === null) return answer;
      throw this.#mistake("returned nothing");
    }
    if (record !== null) this.results(record, () => answer);
    const strange = tensorsIn(answer).find((tensor) => !known.has(tensor));
    if (strange === undefined) return answer;
    throw this.#mistake(`returned a tensor ${describeValue(strange)} that no call of the builder returned`);
  }

  /** Runs a rule that returns elements, of the dtypes and shapes that `infer` says. */
  computed(record: OpRecord, args: Args, work: () => HandlerResult | Promise<HandlerResult>): ReturnType<typeof work> {
    const checked = (answer: HandlerResult): HandlerResult => {
      if (record.infer === undefined) return answer;
      const expected = resultsOf(record, record.infer(args) as ArgValue);
      const answers = record.schema.returns.length === 1 ? [answer] : answer;
      if (!Array.isArray(answers))
        throw this.#mistake(`returned ${describeValue(answer)}, not ${expected.length} results`);
      const wrong = expected.findIndex((meta, i) => !agrees(answers[i], meta, record.dynamic !== undefined));
      if (wrong < 0) return answer;
      const said = describeValue(expected[wrong]);
      throw this.#mistake(`returned ${describeValue(answers[wrong])} as result ${wrong}, but \`infer\` says ${said}`);
    };
    const failed = (error: unknown): never => {
      if (error instanceof Pt2Error) throw error;
      throw this.#mistake(`failed: ${error instanceof Error ? error.message : String(error)}`, error);
    };
    try {
      const answer = work();
      return answer instanceof Promise ? answer.then(checked).catch(failed) : checked(answer);
    } catch (error) {
      return failed(error);
    }
  }

  #mistake(what: string, cause?: unknown): Pt2Error {
    return registryError("registry.rule", {
      what: `The ${this.#name} of ${this.#op} ${what}`,
      advice: "correct the function; docs/adding-an-op.md describes its arguments and its result",
      details: { op: this.#op },
      cause,
    });
  }
}

/** Returns what is wrong with a result of this type, or null. Only tensors are checked. */
function mismatch(type: SchemaType, answer: unknown): string | null {
  if (type.kind === "optional") return answer === null ? null : mismatch(type.inner, answer);
  if (type.kind === "list" && type.inner.kind === "base" && type.inner.base === "Tensor") {
    if (!Array.isArray(answer)) return `${describeValue(answer)}, not a list of tensors`;
    return answer.map((item) => mismatch(type.inner, item)).find((wrong) => wrong !== null) ?? null;
  }
  if (type.kind !== "base" || type.base !== "Tensor") return null;
  if (!isTensorMeta(answer)) return `${describeValue(answer)}, not a tensor`;
  const { dtype, shape } = answer;
  if (!Object.hasOwn(DTYPES, dtype)) return `a tensor of dtype ${String(dtype)}`;
  return isWhole(shape, 0) ? null : `a tensor whose shape is ${describeValue(shape)}`;
}

/** Whether a result has the dtype and shape that were inferred, or a smaller shape if its size depends on data. */
function agrees(answer: unknown, expected: ArgValue, isDynamic: boolean): boolean {
  if (Array.isArray(expected)) {
    return Array.isArray(answer) && expected.every((meta, i) => agrees(answer[i], meta as ArgValue, isDynamic));
  }
  if (!isTensorMeta(expected)) return true;
  if (!isTensorMeta(answer) || answer.dtype !== expected.dtype || answer.shape.length !== expected.shape.length)
    return false;
  return expected.shape.every((size, d) => (isDynamic ? answer.shape[d]! <= size : answer.shape[d] === size));
}

function isStrided(view: unknown): boolean {
  if (typeof view !== "object" || view === null) return false;
  const { shape, strides, offset } = view as Readonly<Record<string, unknown>>;
  return isWhole(shape, 0) && isWhole(strides, -Infinity) && shape.length === strides.length && isWhole([offset], 0);
}

function isWhole(list: unknown, least: number): list is readonly number[] {
  return Array.isArray(list) && list.every((value) => Number.isSafeInteger(value) && value >= least);
}
