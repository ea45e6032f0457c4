import { Tensor, type Value } from "@pt2/backend";
import { type Node, splitOpName } from "@pt2/graph";
import {
  type ArgValue,
  Emitter,
  isTensorMeta,
  type OpRecord,
  type OpRegistry,
  resolveArgs,
  type TensorMeta,
} from "@pt2/registry";
import { type CallResult, Cell, type CellArgument, type NumberResult, RecordedCall } from "./cell.ts";
import { cellOf, EagerTensor } from "./eager-tensor.ts";
import type { Evaluator } from "./evaluator.ts";
import { expressionOf } from "./expression.ts";
import { isTensor } from "./given.ts";
import type { Caller } from "./namespaces.ts";

/** A call that is recorded runs when so many others wait for a value of it that this many calls would be one program. */
export const MOST_RECORDED = 64;

/** A target that takes every op as it is, for the inference of results. */
const INFERENCE = { name: "inference", isNative: () => true } as const;

/** Makes the calls of overloads: infers results, and records or starts what computes them. */
export class EagerCalls implements Caller {
  readonly #registry: OpRegistry;
  readonly #evaluator: Evaluator;
  /** The cells of tensors that other code made. */
  readonly #foreign = new WeakMap<Tensor, Cell>();

  constructor(registry: OpRegistry, evaluator: Evaluator) {
    this.#registry = registry;
    this.#evaluator = evaluator;
  }

  /** Calls an overload; returns its result, an array for several results, or a promise of them. */
  call(record: OpRecord, given: Readonly<Record<string, unknown>>): unknown {
    this.#evaluator.requireAlive();
    const cells = new Map<Tensor, Cell>();
    try {
      const args = Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, this.#argument(value, cells)] as const),
      );
      return this.#callWith(record, args);
    } finally {
      // The recorded call uses them by itself.
      for (const cell of cells.values()) cell.release();
    }
  }

  #callWith(record: OpRecord, args: Readonly<Record<string, CellArgument>>): unknown {
    const metas = Object.fromEntries(Object.entries(args).map(([name, value]) => [name, metaOf(value)] as const));
    const node: Node = { name: splitOpName(record.name).op, op: record.name, args: [], outputs: [], origin: {} };
    const inferred = new Emitter(this.#registry, INFERENCE).emit(record.name, metas, node);
    if (waits(record)) return this.#later(record, args, metas, inferred);
    const call = new RecordedCall(record, args, false);
    call.setResults(inferred.map((result) => cellsOf(result, call)));
    if (!isLazy(record) || isLong(call)) this.#evaluator.start(call.cells);
    const results = call.results.map((result, i) => this.#tensors(result, inferred[i]!));
    return results.length === 1 ? results[0] : results;
  }

  /** Calls an op whose results are known when it has run. */
  async #later(
    record: OpRecord,
    args: Readonly<Record<string, CellArgument>>,
    metas: Readonly<Record<string, ArgValue>>,
    inferred: readonly ArgValue[],
  ): Promise<unknown> {
    const { dynamic = false } = record;
    const isDynamic = typeof dynamic === "boolean" ? dynamic : dynamic(resolveArgs(record.schema, metas));
    const call = new RecordedCall(record, args, isDynamic);
    call.setResults(
      record.schema.returns.map(({ type }, i) => {
        const result = inferred[i] ?? null;
        return isTensorMeta(result) || Array.isArray(result)
          ? cellsOf(result, call)
          : { kind: numberKind(type.kind === "base" ? type.base : "", metas) };
      }),
    );
    try {
      const values = [...(await this.#evaluator.results(call))];
      const results = call.results.map((result) =>
        Array.isArray(result) ? result.map(() => this.#wrapped(values.shift()!)) : this.#wrapped(values.shift()!),
      );
      return results.length < 2 ? results[0] : results;
    } finally {
      call.forget();
    }
  }

  #wrapped(value: Value): unknown {
    return value instanceof Tensor ? this.#tensor(Cell.of(value)) : value;
  }

  #tensors(result: CallResult, inferred: ArgValue): unknown {
    if (result instanceof Cell) return this.#tensor(result);
    return Array.isArray(result) ? result.map((cell) => this.#tensor(cell)) : inferred;
  }

  #tensor(cell: Cell): EagerTensor {
    return new EagerTensor(cell, this.#evaluator.backend.name, (one) => this.#evaluator.start([one]));
  }

  /** Converts a value that was given; the cells are retained, and added to `cells`. */
  #argument(value: unknown, cells: Map<Tensor, Cell>): CellArgument {
    if (isTensor(value)) {
      const cell = cells.get(value) ?? this.#cellOf(value);
      cells.set(value, cell);
      return cell;
    }
    const hasTensors = Array.isArray(value) && value.some(isTensor);
    return hasTensors ? value.map((item) => this.#argument(item, cells)) : { data: value };
  }

  #cellOf(tensor: Tensor): Cell {
    const known = tensor instanceof EagerTensor ? cellOf(tensor) : this.#foreign.get(tensor);
    if (known !== undefined && !known.isFree) return known.retain();
    const cell = Cell.sharing(tensor);
    // Elements in host memory may be others at the next call.
    if (tensor.bytes === null) this.#foreign.set(tensor, cell);
    return cell;
  }
}

/** Whether a call is recorded until a value of it is needed. */
function isLazy({ scalar, view, impure }: OpRecord): boolean {
  return impure !== true && (scalar !== undefined || view !== undefined);
}

/** Whether the results of an op are known only when it has run: sizes that depend on data, or no results at all. */
export function waits({ dynamic = false, schema }: OpRecord): boolean {
  return dynamic !== false || schema.returns.length === 0;
}

function isLong(call: RecordedCall): boolean {
  return call.size > MOST_RECORDED && expressionOf(call.cells).calls.length > MOST_RECORDED;
}

function cellsOf(result: ArgValue, call: RecordedCall): Cell | readonly Cell[] | null {
  if (Array.isArray(result)) return result.map((item) => recordedCell(item as TensorMeta, call));
  return isTensorMeta(result) ? recordedCell(result, call) : null;
}

function recordedCell({ dtype, shape }: TensorMeta, call: RecordedCall): Cell {
  return new Cell(dtype, shape, null, call);
}

function metaOf(argument: CellArgument): ArgValue {
  if (argument instanceof Cell) return { dtype: argument.dtype, shape: argument.shape };
  if (Array.isArray(argument)) return argument.map(metaOf);
  return (argument as { readonly data: unknown }).data as ArgValue;
}

function numberKind(base: string, metas: Readonly<Record<string, ArgValue>>): NumberResult["kind"] {
  const dtype = Object.values(metas).find(isTensorMeta)?.dtype ?? "float32";
  if (base === "bool" || (base === "Scalar" && dtype === "bool")) return "symbool";
  return base === "float" || (base === "Scalar" && dtype.includes("float")) ? "symfloat" : "symint";
}
