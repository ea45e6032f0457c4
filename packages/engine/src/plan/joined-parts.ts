import { normalDim } from "@pt2/format";
import type { Call, LoweredTensor } from "@pt2/registry";
import { callsOf, operandsOf, type Step } from "../fuse.ts";
import { denseStrides, sameStrides } from "../strides/layout.ts";
import type { TensorView } from "./tensor-view.ts";

/** What a tensor is of the one that it is joined to: `whole`, from `at` on along `dim`. */
interface Part {
  readonly whole: LoweredTensor;
  readonly dim: number;
  readonly at: number;
}

/** What places tensors. */
interface Places<Handle> {
  /** Returns where a tensor lies; undefined if it has no place yet. */
  get(tensor: LoweredTensor): TensorView<Handle> | undefined;
  /** Gives a tensor memory of its own. */
  make(tensor: LoweredTensor, strides: readonly number[]): TensorView<Handle>;
}

/** Places tensors that are joined where they belong: in the memory of the whole, which is made with the first of its parts. */
export class JoinedParts<Handle> {
  readonly #parts: ReadonlyMap<LoweredTensor, Part>;
  readonly #places: Places<Handle>;
  /** What a tensor becomes in place. */
  readonly #becomes = new Map<LoweredTensor, LoweredTensor>();

  /** Finds the parts among what steps make. `readsParts` tells which calls read them. */
  constructor(steps: readonly Step<unknown>[], readsParts: (call: Call) => boolean, places: Places<Handle>) {
    this.#parts = partsOf(steps, readsParts);
    this.#places = places;
  }

  /** Notes that a tensor becomes another one in place. */
  becomes(tensor: LoweredTensor, other: LoweredTensor): void {
    this.#becomes.set(tensor, other);
  }

  /** See `TensorTable.partFor`. */
  partFor(
    tensor: LoweredTensor,
    strides: readonly number[],
    takes: (strides: readonly number[]) => boolean,
  ): TensorView<Handle> | undefined {
    const part = this.#parts.get(this.#becomes.get(tensor) ?? tensor);
    if (part === undefined) return undefined;
    const { whole, dim, at } = part;
    const dense = denseStrides(whole.shape, { shape: tensor.shape, strides });
    if (!takes(this.#stridesOf(whole, dense))) return undefined;
    const view = this.#places.get(whole) ?? this.partFor(whole, dense, () => true) ?? this.#places.make(whole, dense);
    return { ...view, shape: tensor.shape, offset: view.offset + at * view.strides[dim]! };
  }

  /** Returns the place of a tensor that a loop makes, if its dimensions are in the order of `strides` there. */
  inOrder(tensor: LoweredTensor, strides: readonly number[]): TensorView<Handle> | undefined {
    const { shape } = tensor;
    return this.partFor(tensor, strides, (given) =>
      sameStrides(shape, denseStrides(shape, { shape, strides: given }), strides),
    );
  }

  /** Returns the strides that a tensor has or will have, which are `dense` where it is joined to none. */
  #stridesOf(tensor: LoweredTensor, dense: readonly number[]): readonly number[] {
    const known = this.#places.get(tensor);
    if (known !== undefined) return known.strides;
    const whole = this.#parts.get(tensor)?.whole;
    return whole === undefined
      ? dense
      : this.#stridesOf(whole, denseStrides(whole.shape, { ...tensor, strides: dense }));
  }
}

/**
 * Finds the tensors that are joined and may lie in the whole from the beginning, so that nothing is copied: all that reads them
 * reads tensors whose elements lie between others, as loops do and the calls that `readsParts` tells of.
 */
function partsOf(
  steps: readonly Step<unknown>[],
  readsParts: (call: Call) => boolean,
): ReadonlyMap<LoweredTensor, Part> {
  const parts = new Map<LoweredTensor, Part>();
  const joins = steps.flatMap((step) => (step.kind === "call" && isJoin(step.call) ? [step.call] : []));
  if (joins.length === 0) return parts;
  const others = steps.flatMap(callsOf).filter((call) => call.scalar === undefined && !readsParts(call));
  const readWhole = new Set(others.flatMap(operandsOf));
  for (const { args, record, results } of joins) {
    const whole = results[0] as LoweredTensor;
    const rank = whole.shape.length;
    const dim = normalDim(args.dim as number, rank);
    const tensors = args[record.schema.args[0]!.name] as readonly LoweredTensor[];
    let at = 0;
    // PyTorch skips one-dimensional empty operands whatever the rank.
    for (const tensor of tensors.filter(({ shape }) => shape.length === rank)) {
      const fits = tensor.dtype === whole.dtype && !readWhole.has(tensor) && !parts.has(tensor);
      if (fits) parts.set(tensor, { whole, dim, at });
      at += tensor.shape[dim]!;
    }
  }
  return parts;
}

function isJoin({ record, packaged, results }: Call): boolean {
  return record.joins === true && packaged !== true && (results[0] as LoweredTensor).shape.length > 0;
}
