import type { Backend, Comparison, Value } from "@pt2/backend";
import { Pt2Error } from "@pt2/format";
import { type Program, usesOf } from "@pt2/graph";
import { computedIn } from "./computed-in.ts";
import type { NodeCheck } from "./node-check.ts";
import { nodeProgram, operandsOf } from "./node-program.ts";
import { type Precision, runTwice, type ValuesRequest } from "./program-values.ts";
import { isRecordedType, type Recorded } from "./recorded-nodes.ts";
import type { ToleranceOf } from "./tolerance.ts";
import { compareValue } from "./value-comparison.ts";
import { type Place, placesOf, turnOf, withoutTurn } from "./value-places.ts";

/** What is known about an operand of a node. */
export interface OperandCheck {
  readonly value: string;
  readonly kind: "weight" | "input" | "node";
  /** Null where it was not compared: a weight, an input, or what has no expected value. */
  readonly comparison: Comparison | null;
}

/** The first value that diverges. */
export interface Divergence extends NodeCheck {
  readonly operands: readonly OperandCheck[];
  /**
   * `here` where the node alone, given the expected values of its operands, diverges too; `before` where it then agrees,
   * so that its operands' small errors explain the difference; `random` where it gives another result each time; null
   * where it cannot be run alone.
   */
  readonly fault: "here" | "before" | "random" | null;
  /** Whether every value agrees node by node, and only a result of the whole program with fusion diverges. */
  readonly fused: boolean;
}

/** A value that diverges, in its run. */
export interface DivergenceRequest extends ValuesRequest {
  readonly backend: Backend;
  readonly precision: Precision;
  readonly tolerance: ToleranceOf;
  readonly fused: boolean;
  readonly check: NodeCheck;
  readonly checks: readonly NodeCheck[];
  readonly expected: ReadonlyMap<string, Recorded>;
}

/** Finds out whether a node that diverges is at fault. */
export async function explainDivergence(request: DivergenceRequest): Promise<Divergence> {
  const { check, checks, compile, fused } = request;
  const place = placesOf(compile.program).get(withoutTurn(check.value));
  if (place === undefined) return { ...check, operands: [], fault: null, fused };
  const turn = turnOf(check.value);
  const compared = new Map(checks.map(({ value, comparison }) => [value, comparison]));
  const kinds = new Map(compile.program.inputs.flatMap((spec) => ("value" in spec ? [[spec.value, spec.kind]] : [])));
  const operands = [...new Set(usesOf(place.node))].map((name): OperandCheck => {
    const kind = kinds.get(name);
    return {
      value: `${name}${turn}`,
      kind: kind === undefined ? "node" : kind === "user_input" ? "input" : "weight",
      comparison: compared.get(`${name}${turn}`) ?? null,
    };
  });
  return { ...check, operands, fault: fused ? null : await faultOf(request, place), fused };
}

async function faultOf(request: DivergenceRequest, { node, graph }: Place): Promise<Divergence["fault"]> {
  const { check, compile, backend, precision, tolerance, expected } = request;
  const result = withoutTurn(check.value);
  const program = nodeProgram({ ...compile.program, graph }, node, [result]);
  const inputs = operandsOf(program).map((name) => operandOf(request, name));
  const wanted = expected.get(check.value);
  if (wanted === undefined || !inputs.every((value) => value !== undefined)) return null;
  try {
    const alone = { compile: { ...compile, program }, inputs };
    const [once = null, again = null] = await runTwice(alone, backend, result, precision);
    const computed = computedIn(compile.program, compile.registry).get(result);
    if ((await compareValue(wanted, once, tolerance, computed)).ok) return "before";
    return (await compareValue(once, again, EXACT)).ok ? "here" : "random";
  } catch (problem) {
    // A node may depend on what only the whole program has, such as its symbols.
    if (problem instanceof Pt2Error) return null;
    throw problem;
  }
}

const EXACT: ToleranceOf = () => ({ rtol: 0, atol: 0 });

/** Returns the expected value of an operand, or the input of the program. */
function operandOf({ check, expected, compile, inputs }: DivergenceRequest, name: string): Value | undefined {
  const value = expected.get(`${name}${turnOf(check.value)}`) ?? inputNamed(compile.program, inputs, name);
  return isRecordedType(value) ? undefined : value;
}

function inputNamed(program: Program, inputs: readonly Value[], name: string): Value | undefined {
  return inputs[operandsOf(program).indexOf(name)];
}
