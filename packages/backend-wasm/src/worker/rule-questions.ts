// The worker's part of rules of users' ops: records whose rules are evaluated on the calling thread. It loads for
// programs that have such ops.

import { sameShape } from "@pt2/format";
import { splitOpName } from "@pt2/graph";
import type { ArgValue, OpRecord, OpRegistry, OpSet, ScalarExpr, Strided, TensorMeta } from "@pt2/registry";
import { contiguous, createRegistry } from "@pt2/registry";
import { atenOnDemand, loading, NotLoaded } from "@pt2/registry/on-demand";
import { type ModuleCall, type ModuleKernel, moduleKernel, type Temporary } from "../engine/module-kernel.ts";
import {
  type CallRule,
  callQuestion,
  isExpression,
  keyOf,
  leavesOf,
  mapArgs,
  type Outcome,
  type Recipe,
  type RuleAnswer,
  type RuleAnswers,
  type RuleQuestion,
  toPlain,
  type WireArg,
  type WireCalls,
  type WireExpr,
  type WireKernel,
  type WireOperand,
  type WireRecord,
  type WireRules,
} from "./rule-messages.ts";
import { fromWireError } from "./wire-error.ts";

type Ask = (question: RuleQuestion) => Promise<RuleAnswers>;
type Args = Readonly<Record<string, ArgValue>>;

/** The number of answers to keep: sizes come and go. No plan needs this many. */
const MOST_ANSWERS = 20_000;

/** Returns a registry with the ops of users. Each rule is evaluated once for the same arguments. */
export function remoteRegistry({ sets, kernels, answers }: WireRules, ask: Ask): OpRegistry {
  const known = new Map<string, RuleAnswer>();
  const keep = (given: RuleAnswers): void => {
    for (const [question, answer] of given)
      known.set(looked(answer) ? keyOf(question) : keyOf(blind(question)), answer);
  };
  keep(answers);
  const answerOf = (question: RuleQuestion): RuleAnswer => {
    const answer = known.get(keyOf(question)) ?? known.get(keyOf(blind(question)));
    if (answer !== undefined) return answer;
    throw new NotLoaded(question.op, async () => {
      const given = await ask(question);
      if (known.size > MOST_ANSWERS) known.clear();
      keep(given);
    });
  };
  const own = sets.map(({ name, replace, ops, others }): OpSet => {
    const records = ops.map((op) => recordOf(op, answerOf));
    const known = new Set(records.map((record) => record.name));
    const load = async (): Promise<readonly OpRecord[]> => {
      const [[, answer]] = (await ask({ op: name, rule: "records", args: [name] })) as [RuleAnswers[number]];
      const all = givenBy(answer.records) as readonly WireRecord[];
      return all.filter(({ data }) => !known.has(data.name)).map((op) => recordOf(op, answerOf));
    };
    const ofOthers = { test: (op: string) => others.includes(splitOpName(op).namespace) };
    return { name, replace, asked: true, ops: records, parts: others.length === 0 ? [] : [{ ops: ofOthers, load }] };
  });
  const modules = kernels.map((kernel, at) => kernelOf(kernel, at, answerOf));
  // One set keeps their order of precedence.
  const last: OpSet = { name: "kernels", ops: [], asked: true, kernels: { wasm: modules } };
  return createRegistry({ sets: [...atenOnDemand, ...own, last] });
}

type AnswerOf = (question: RuleQuestion) => RuleAnswer;

function recordOf({ data, rules }: WireRecord, answerOf: AnswerOf): OpRecord {
  const { name: op } = data;
  const has = (rule: WireRecord["rules"][number]): boolean => rules.includes(rule);
  const call = (rule: CallRule, args: Args): unknown => givenBy(answerOf(callQuestion(op, args))[rule]);
  const remote: { -readonly [Rule in keyof OpRecord]?: OpRecord[Rule] } = {};
  if (has("validate")) remote.validate = (args) => call("validate", args) as string | null;
  if (has("promote")) remote.promote = (args) => call("promote", args) as never;
  if (has("dynamic")) remote.dynamic = (args) => call("dynamic", args) as boolean;
  if (has("infer")) remote.infer = (args) => call("infer", args) as never;
  if (has("decompose")) {
    remote.decompose = (args, b) => {
      const recipe = call("decompose", args) as Recipe | null;
      return recipe === null ? null : (cook(recipe, args, b) as never);
    };
  }
  if (has("view")) {
    // Lowering asks about contiguous tensors, and while a stage is planned nothing can be asked. So other strides need a
    // copy, and a view that begins elsewhere is moved there.
    remote.view = ({ shape, strides, offset }, args) => {
      const dense = contiguous(shape);
      if (!sameShape(strides, dense.strides)) return null;
      const answer = givenBy(answerOf({ op, rule: "view", args: [dense, mapArgs(args, toPlain)] }).view);
      const moved = (view: Strided): Strided => ({ ...view, offset: view.offset + offset });
      const views = answer as Strided | readonly Strided[] | null;
      if (views === null) return null;
      return "strides" in views ? moved(views) : views.map(moved);
    };
  }
  // Programs that need it run on the calling thread: it only tells why a call cannot be run here.
  if (has("compute")) remote.compute = () => Promise.reject(new Error(`${op} computes on the calling thread`));
  if (has("scalar")) remote.scalar = (...operands) => scalarOf(op, operands, answerOf);
  return { ...data, ...remote };
}

function kernelOf({ ops, module, declines }: WireKernel, at: number, answerOf: AnswerOf): ModuleKernel {
  // The answer is the same for each of its ops.
  const op = ops[0]!;
  // While a stage is planned the answer is looked up again, and nothing can be asked.
  const accepted = new Map<string, boolean>();
  const accepts = (args: Args): boolean => {
    const question: RuleQuestion = { op, rule: "accepts", args: [at, mapArgs(args, toPlain)] };
    const key = keyOf(question);
    const answer = accepted.get(key) ?? (givenBy(answerOf(question).accepts) as boolean);
    accepted.set(key, answer);
    return answer;
  };
  const calls = (args: Args, results: readonly TensorMeta[], temporary: Temporary): readonly ModuleCall[] => {
    const question = [at, mapArgs(args, toPlain), results.map(toPlain)] as const;
    const given = givenBy(answerOf({ op, rule: "calls", args: question }).calls) as WireCalls;
    const tensors = {
      args: leavesOf<ArgValue>(Object.values(args)),
      results,
      temporaries: given.temporaries.map(({ dtype, shape }) => temporary(dtype, shape)),
    };
    const real = (operand: WireOperand): TensorMeta | number | bigint =>
      typeof operand === "object" ? ((tensors[operand.of][operand.at] ?? NO_TENSOR) as TensorMeta) : operand;
    return given.calls.map(([name, ...operands]) => [name, ...operands.map(real)] as const);
  };
  const kernel = moduleKernel({ ops: ops as never[], module, calls, ...(declines && { accepts }) });
  // It has planned nothing when it finds that an answer is missing.
  return { ...kernel, prepare: (call, args) => loading(async () => await kernel.prepare(call, args)) };
}

const NO_TENSOR: TensorMeta = { dtype: "float32", shape: [] };

/** Emits the calls that a decomposition made on the other thread. */
function cook({ calls, result }: Recipe, args: Args, b: Parameters<NonNullable<OpRecord["decompose"]>>[1]): ArgValue {
  const leaves: ArgValue[] = [...leavesOf<ArgValue>(Object.values(args))];
  const real = (value: WireArg): ArgValue => {
    if (Array.isArray(value)) return value.map(real);
    return typeof value === "object" && value !== null && "leaf" in value ? leaves[value.leaf]! : (value as ArgValue);
  };
  for (const { op, args: given } of calls) leaves.push(...leavesOf<ArgValue>(b.call(op, mapArgs(given, real))));
  return real(result);
}

function scalarOf(op: string, operands: readonly unknown[], answerOf: AnswerOf): ScalarExpr {
  const isPlain = (operand: unknown): boolean => !isExpression(operand) || operand.kind === "const";
  const args = operands.map((operand, at) => (isPlain(operand) ? operand : inputAt(at)));
  const { expr } = givenBy(answerOf({ op, rule: "scalar", args }).scalar) as { readonly expr: WireExpr };
  const made = new Map<object, ScalarExpr>();
  const real = (from: WireExpr): ScalarExpr => {
    if (from.kind === "operand") return operands[from.position] as ScalarExpr;
    const known = made.get(from);
    if (known !== undefined) return known;
    const expr = mapArgs(from as unknown as Readonly<Record<string, unknown>>, (part) =>
      isExpression(part) ? real(part as WireExpr) : part,
    ) as unknown as ScalarExpr;
    made.set(from, expr);
    return expr;
  };
  return real(expr);
}

/** What a rule on the other thread gets for an operand: an input, whose index is the operand's position. */
function inputAt(index: number): ScalarExpr {
  return { kind: "input", index };
}

/** Returns a question to a scalar rule that does not look at the numbers among its operands. */
function blind(question: RuleQuestion): RuleQuestion {
  if (question.rule !== "scalar") return question;
  return { ...question, args: question.args.map((operand, at) => (isExpression(operand) ? inputAt(at) : operand)) };
}

/** Whether a scalar rule's answer holds for these numbers only. */
function looked({ scalar }: RuleAnswer): boolean {
  if (scalar === undefined) return false;
  return "error" in scalar || (scalar.value as { readonly looked: boolean }).looked;
}

function givenBy(outcome: Outcome | undefined): unknown {
  if (outcome === undefined || "value" in outcome) return outcome?.value;
  throw fromWireError(outcome.error);
}
