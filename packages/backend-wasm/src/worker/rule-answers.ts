// The calling thread's part of rules of users' ops, which are functions there. It loads for programs that have such
// ops.

import { atOnce, hintBindings, hintValues } from "@pt2/engine";
import { type Node, type Program, splitOpName, usesOf, walk } from "@pt2/graph";
import {
  type ArgValue,
  argValue,
  builderOf,
  Emitter,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  resolveArgs,
  type ScalarExpr,
  type Strided,
  type TensorMeta,
} from "@pt2/registry";
import type { WasmKernel } from "../engine/kernel.ts";
import type { ModuleKernel } from "../engine/module-kernel.ts";
import {
  CALL_RULES,
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
  type WireArgs,
  type WireCalls,
  type WireExpr,
  type WireKernel,
  type WireOperand,
  type WireOpSet,
  type WireRecord,
  type WireRules,
} from "./rule-messages.ts";
import { toWireError } from "./wire-error.ts";

/** What the worker gets of users' ops at first, and the function that answers its questions. */
export interface RuleBook {
  readonly rules: WireRules;
  answer(question: RuleQuestion): Promise<RuleAnswers>;
}

/** Returns the op sets of users for a program, with answers for the sizes that it is checked with. */
export async function ruleBook(program: Program, registry: OpRegistry): Promise<RuleBook> {
  const answersTo = async (questions: readonly RuleQuestion[]): Promise<RuleAnswers> => {
    const answers: [RuleQuestion, RuleAnswer][] = [];
    await registry.load(questions.flatMap(({ op, rule }) => (rule === "records" ? [] : [op])));
    for (const question of questions) answers.push([question, answersOf(question, registry)]);
    return answers;
  };
  const answers = await answersTo(foreseen(program, registry, hintBindings(program)));
  return {
    // Decompositions may have loaded further ops.
    rules: { sets: setsFor(program, registry, answers), kernels: moduleKernelsOf(registry).map(wireKernel), answers },
    answer: (question) => answersTo([question, ...foreseen(program, registry, bindingsOf(question, program))]),
  };
}

/** Returns the op sets of users with the records of the ops that a program and its decompositions call. */
function setsFor(program: Program, registry: OpRegistry, answers: RuleAnswers): readonly WireOpSet[] {
  const called = new Set<string>();
  const call = (op: string): void => {
    const record = registry.userSetOf(op) === undefined ? undefined : registry.resolve(op);
    if (record !== undefined) called.add(record.functional ?? record.name);
  };
  walk(program.graph, ({ op }) => call(op));
  for (const [, { decompose }] of answers) {
    if (decompose === undefined || "error" in decompose) continue;
    for (const { op } of (decompose.value as Recipe | null)?.calls ?? []) call(op);
  }
  const sets = new Map<string, { name: string; replace: boolean; ops: WireRecord[]; others: Set<string> }>();
  for (const [op, { name, replace = false }] of registry.userOps()) {
    const set = sets.get(name) ?? { name, replace: false, ops: [], others: new Set() };
    sets.set(name, set);
    // Any decomposition may call an op of PyTorch that a set replaces.
    if (replace || called.has(op)) set.ops.push(wireRecord(registry.resolve(op)!));
    else set.others.add(splitOpName(op).namespace);
    set.replace ||= replace;
  }
  return [...sets.values()].map((set) => ({ ...set, others: [...set.others] }));
}

function recordsOf(name: string, registry: OpRegistry): readonly WireRecord[] {
  const ops = [...registry.userOps()].filter(([, set]) => set.name === name);
  return ops.map(([op]) => wireRecord(registry.resolve(op)!));
}

type Bindings = ReadonlyMap<string, number | bigint>;

/**
 * Returns calls of users' ops whose sizes follow from these. The worker sends questions about other calls when it meets
 * them.
 */
function foreseen({ graph }: Program, registry: OpRegistry, bindings: Bindings): readonly RuleQuestion[] {
  const found = new Map<string, RuleQuestion>();
  walk(graph, (node, inside) => {
    const { op } = node;
    if (registry.userSetOf(op) === undefined) return;
    const uses = usesOf(node);
    const hints = hintValues(uses, inside, bindings);
    if (uses.some((name) => !hints.has(name))) return;
    try {
      const given = Object.fromEntries(node.args.map(({ name, arg }) => [name, argValue(arg, hints, node)]));
      const question = callQuestion(op, resolveArgs(registry.resolve(op)!.schema, given));
      found.set(keyOf(question), question);
    } catch {
      // Arguments that a rule refuses are refused in the worker, which has their place.
    }
  });
  return [...found.values()];
}

/** Returns the sizes of the program that come with a question about a call: one of them determines the others. */
function bindingsOf({ op, rule, args }: RuleQuestion, { graph }: Program): Bindings {
  let found: Bindings = new Map();
  if (rule !== "call") return found;
  walk(graph, (node, { values }) => {
    if (node.op !== op || found.size > 0) return;
    const bound = new Map<string, number>();
    const fits = node.args.every(({ name, arg }) => {
      const [type, given] = [arg.kind === "value" ? values.get(arg.name) : undefined, args[name]];
      if (type?.kind !== "tensor" || !isTensorMeta(given)) return true;
      return type.shape.every((size, d) => {
        const actual = given.shape[d];
        if (actual === undefined || typeof size !== "object") return actual === Number(size);
        if (size.kind === "symbol") bound.set(size.name, actual);
        return true;
      });
    });
    if (fits) found = bound;
  });
  return found;
}

type ModuleArgs = Parameters<ModuleKernel["calls"]>[0];

/** Returns the kernels that run in the worker, in the order of their precedence. */
function moduleKernelsOf(registry: OpRegistry): readonly ModuleKernel[] {
  const kernels = registry.kernelsFor("wasm") as readonly (WasmKernel | ModuleKernel)[];
  return kernels.filter((kernel): kernel is ModuleKernel => "module" in kernel);
}

function wireKernel({ ops, module, accepts }: ModuleKernel): WireKernel {
  return { ops, module, declines: accepts !== undefined };
}

function wireRecord(record: OpRecord): WireRecord {
  // Gradients and inverses of views serve passes over the graph, which do not run in the worker.
  const { gradient: _, inverse: __, ...known } = record;
  const entries = Object.entries(known);
  const isRule = ([, value]: [string, unknown]): boolean => typeof value === "function";
  return {
    data: Object.fromEntries(entries.filter((entry) => !isRule(entry))) as unknown as WireRecord["data"],
    rules: entries.filter(isRule).map(([name]) => name) as unknown as WireRecord["rules"],
  };
}

/** Evaluates rules of an op; each gets the value that it gave, or the error that it threw. */
function answersOf({ op, rule, args }: RuleQuestion, registry: OpRegistry): RuleAnswer {
  if (rule === "records") return { records: outcomeOf(() => recordsOf(args[0], registry)) };
  const record = registry.resolve(op)!;
  switch (rule) {
    case "view":
      return { view: outcomeOf(() => record.view!(args[0] as Strided, args[1])) };
    case "scalar":
      return { scalar: outcomeOf(() => expressionOf(record, args)) };
    case "accepts": {
      const [at, given] = args;
      return { accepts: outcomeOf(() => atOnce(moduleKernelsOf(registry)[at]!.accepts!(given as ModuleArgs))) };
    }
    case "calls": {
      const [at, given, results] = args;
      return { calls: outcomeOf(() => wireCalls(moduleKernelsOf(registry)[at]!, given, results)) };
    }
    case "call":
      return Object.fromEntries(
        CALL_RULES.filter((name) => typeof record[name] === "function").map((name) => [
          name,
          outcomeOf(() => (name === "decompose" ? recipeOf(record, args, registry) : callRule(record, name, args))),
        ]),
      );
  }
}

function wireCalls({ calls }: ModuleKernel, args: WireArgs, results: readonly WireArg[]): WireCalls {
  const temporaries: TensorMeta[] = [];
  const tensors = { args: leavesOf<WireArg>(Object.values(args)), results, temporaries };
  const made = calls(args as ModuleArgs, results as unknown as readonly [TensorMeta], (dtype, shape) => {
    temporaries.push({ dtype, shape });
    return temporaries.at(-1)!;
  });
  const operandOf = (value: TensorMeta | number | bigint): WireOperand => {
    if (typeof value !== "object") return value;
    for (const of of ["args", "results", "temporaries"] as const) {
      const at = (tensors[of] as readonly unknown[]).indexOf(value);
      if (at >= 0) return { of, at };
    }
    // The worker refuses it, with the place of the call in the program.
    return { of: "args", at: -1 };
  };
  return { temporaries, calls: made.map(([name, ...given]) => [name, ...given.map(operandOf)] as const) };
}

function callRule(record: OpRecord, name: Exclude<CallRule, "decompose">, args: WireArgs): unknown {
  const answer = (record[name] as (args: WireArgs) => unknown)(args);
  return name === "infer" ? toPlain(answer as ArgValue) : answer;
}

/** The worker adds the place of the call in the program to an error of a rule. */
function outcomeOf(rule: () => unknown): Outcome {
  try {
    return { value: rule() };
  } catch (error) {
    return { error: { ...toWireError(error), where: undefined } };
  }
}

/** Returns an expression over placeholders, unless the rule looks at the numbers among its operands. */
function expressionOf({ scalar }: OpRecord, operands: readonly unknown[]): { expr: WireExpr; looked: boolean } {
  let looked = false;
  const placeholders = operands.map((operand) => {
    if (!isExpression(operand)) return operand;
    const look = <Name extends string>(name: Name): unknown => {
      looked = true;
      return (operand as Readonly<Record<string, unknown>>)[name];
    };
    return {
      get kind() {
        return look("kind");
      },
      get value() {
        return look("value");
      },
      get index() {
        return look("index");
      },
    };
  });
  const done = new Map<unknown, WireExpr>();
  placeholders.forEach((placeholder, position) => {
    if (isExpression(operands[position])) done.set(placeholder, { kind: "operand", position });
  });
  const plain = (expr: ScalarExpr): WireExpr => {
    const known = done.get(expr);
    if (known !== undefined) return known;
    // A rule may make the same input again.
    if (expr.kind === "input") return { kind: "operand", position: expr.index };
    const made = mapArgs(expr as unknown as Readonly<Record<string, unknown>>, (part) =>
      isExpression(part) ? plain(part as ScalarExpr) : part,
    ) as unknown as WireExpr;
    done.set(expr, made);
    return made;
  };
  const expr = plain(scalar!(...placeholders));
  return { expr, looked };
}

/** Runs a decomposition as far as shapes go, and records its calls. */
function recipeOf({ name, decompose }: OpRecord, args: WireArgs, registry: OpRegistry): Recipe | null {
  // What has nothing but a kernel, or computes on the host, is a call of the recipe: the worker runs it, or says why not.
  const isNative = (op: string): boolean =>
    registry.userSetOf(op) === undefined || registry.resolve(op)?.compute !== undefined;
  const emitter = new Emitter(registry, { name: "wasm", isNative });
  const node: Node = { name, op: name, args: [], outputs: [], origin: {} };
  const leaves: unknown[] = [...leavesOf<WireArg>(Object.values(args))];
  const places = new Map(leaves.map((leaf, at) => [leaf, at]));
  const plain = (value: ArgValue): WireArg => {
    if (Array.isArray(value)) return value.map(plain);
    if (!isTensorMeta(value)) return value as WireArg;
    const leaf = places.get(value);
    return leaf === undefined ? toPlain(value) : { leaf };
  };
  const calls: Recipe["calls"][number][] = [];
  const builder = builderOf((op, given) => {
    const results = emitter.emit(op, given, node);
    calls.push({ op, args: mapArgs(given, plain) });
    for (const leaf of leavesOf(results)) places.set(leaf, leaves.push(leaf) - 1);
    return results;
  });
  const result = decompose!(args, builder);
  return result === null || result === undefined ? null : { calls, result: plain(result as ArgValue) };
}
