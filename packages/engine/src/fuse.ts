import { sameShape } from "@pt2/format";
import { type Call, type LoweredTensor, type TypedCall, tensorsIn } from "@pt2/registry";
import { substitute, type TypedExpr } from "@pt2/registry/scalar";

/** One loop over one shape, which reads `inputs` and writes `output` = `expr` of them. */
export interface ElementwiseGroup<Expr = TypedExpr> {
  readonly shape: readonly number[];
  /** Operands by the index that `expr` uses. */
  readonly inputs: readonly LoweredTensor[];
  readonly output: LoweredTensor;
  readonly expr: Expr;
  /** The calls that it computes, in order. */
  readonly calls: readonly Call[];
}

/** What a backend runs: a call of its own, or a fused elementwise loop, which may follow a call block by block. */
export type Step<Expr = TypedExpr> =
  | { readonly kind: "call"; readonly call: Call }
  | { readonly kind: "elementwise"; readonly group: ElementwiseGroup<Expr> }
  /**
   * `call` computes `result`, which only `group` reads, so the backend may apply the group while a block is in cache.
   */
  | {
      readonly kind: "epilogue";
      readonly call: Call;
      readonly result: LoweredTensor;
      readonly group: ElementwiseGroup;
    };

/** The calls that a step computes, in order. */
export function callsOf(step: Step<unknown>): readonly Call[] {
  if (step.kind === "call") return [step.call];
  return step.kind === "epilogue" ? [step.call, ...step.group.calls] : step.group.calls;
}

/** What a device allows of fusion. */
export interface FuseOptions {
  /** Tensors that are read after these calls. */
  readonly live: ReadonlySet<LoweredTensor>;
  /** Whether the backend can apply an elementwise group to the results of this call as it produces them. */
  readonly takesEpilogue: (call: Call, group: ElementwiseGroup) => boolean;
  /** The most operands that a group may have. Default: 8. */
  readonly maxInputs?: number;
}

/** Beyond this many operands a loop runs out of registers and of pointers worth keeping. */
const MAX_INPUTS = 8;
/** Beyond this many calls code size and register spills cost more than the saved memory traffic. */
const MAX_CALLS = 24;

/**
 * Fuses chains of elementwise calls: a producer moves into its consumer when nothing else reads it and both run over
 * the same shape. Then groups that read a fresh result of a heavy call become its epilogue. Calls whose results have no
 * reader are dropped. A fused step takes the position of its last call, so every operand is ready.
 */
export function fuse(calls: readonly Call[], options: FuseOptions): readonly Step[] {
  const producer = new Map<LoweredTensor, Call>();
  const readers = new Map<LoweredTensor, Call[]>();
  const alive = liveCalls(calls, options.live);
  for (const call of alive) {
    for (const result of call.results) for (const t of tensorsIn(result)) producer.set(t, call);
    for (const t of operandsOf(call)) {
      const others = readers.get(t);
      if (others === undefined) readers.set(t, [call]);
      else others.push(call);
    }
  }
  const taken = new Set<Call>();
  const steps: Step[] = [];
  for (const call of [...alive].reverse()) {
    if (taken.has(call)) continue;
    if (call.kind !== "scalar") {
      steps.push({ kind: "call", call });
      continue;
    }
    const group = grow(call, producer, readers, options);
    for (const member of group.calls) taken.add(member);
    const heavy = epilogueOf(group, producer, readers, taken, options);
    if (heavy === null) steps.push({ kind: "elementwise", group });
    else {
      taken.add(heavy.call);
      steps.push({ kind: "epilogue", ...heavy, group });
    }
  }
  return steps.reverse();
}

/** Returns the tensors that a call reads. */
export function operandsOf({ args }: Call): readonly LoweredTensor[] {
  const operands: LoweredTensor[] = [];
  for (const value of Object.values(args)) for (const tensor of tensorsIn(value)) operands.push(tensor);
  return operands;
}

function liveCalls(calls: readonly Call[], live: ReadonlySet<LoweredTensor>): readonly Call[] {
  const needed = new Set(live);
  const kept: Call[] = [];
  for (const call of [...calls].reverse()) {
    const used = call.results.some((result) => tensorsIn(result).some((t) => needed.has(t)));
    if (!used && call.record.impure !== true) continue;
    for (const t of operandsOf(call)) needed.add(t);
    kept.push(call);
  }
  return kept.reverse();
}

function grow(
  root: Call,
  producer: ReadonlyMap<LoweredTensor, Call>,
  readers: ReadonlyMap<LoweredTensor, readonly Call[]>,
  { live, maxInputs = MAX_INPUTS }: FuseOptions,
): ElementwiseGroup {
  const { shape } = root.scalar!;
  let inputs: readonly LoweredTensor[] = root.scalar!.operands;
  const members = [root];
  for (let found = true; found; ) {
    found = false;
    for (const input of inputs) {
      const call = producer.get(input);
      if (call?.scalar === undefined || live.has(input) || !sameShape(call.scalar.shape, shape)) continue;
      if (members.length >= MAX_CALLS || readers.get(input)!.some((reader) => !members.includes(reader))) continue;
      // An operand that comes twice (`x * x`) is replaced as a whole, since it has no other reader.
      const rest = inputs.filter((t) => t !== input);
      const merged = [...rest, ...call.scalar.operands.filter((t) => !rest.includes(t))];
      if (merged.length > maxInputs) continue;
      inputs = merged;
      members.unshift(call);
      found = true;
      break;
    }
  }
  return { shape, inputs, output: root.results[0] as LoweredTensor, expr: joined(members, inputs), calls: members };
}

/**
 * Returns the expression of the last of these calls, in terms of the inputs of them all; producers come before their
 * readers.
 */
export function joined(calls: readonly Call[], inputs: readonly LoweredTensor[]): TypedExpr {
  const last = calls.at(-1)!.scalar!;
  if (calls.length === 1) return last.expr;
  const values = new Map<LoweredTensor, TypedExpr>();
  for (const tensor of inputs)
    values.set(tensor, { kind: "input", index: inputs.indexOf(tensor), dtype: tensor.dtype });
  const computed = ({ expr, operands }: TypedCall): TypedExpr => substitute(expr, (i) => values.get(operands[i]!)!);
  for (const { scalar, results } of calls.slice(0, -1)) values.set(results[0] as LoweredTensor, computed(scalar!));
  return computed(last);
}

/** Returns the heavy call whose fresh result the group may follow block by block, if there is one. */
function epilogueOf(
  group: ElementwiseGroup,
  producer: ReadonlyMap<LoweredTensor, Call>,
  readers: ReadonlyMap<LoweredTensor, readonly Call[]>,
  taken: ReadonlySet<Call>,
  { live, takesEpilogue }: FuseOptions,
): { readonly call: Call; readonly result: LoweredTensor } | null {
  for (const result of group.inputs) {
    const call = producer.get(result);
    if (call?.kind !== "native" || taken.has(call) || live.has(result) || !sameShape(result.shape, group.shape))
      continue;
    if (readers.get(result)!.some((reader) => !group.calls.includes(reader))) continue;
    // Readers between the call and the group would find its other results not yet computed.
    if (call.results.flatMap(tensorsIn).some((t) => t !== result && (live.has(t) || readers.has(t)))) continue;
    if (takesEpilogue(call, group)) return { call, result };
  }
  return null;
}
