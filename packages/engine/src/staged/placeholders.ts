import { sameShape } from "@pt2/format";
import { type ArgValue, type LoweredTensor, type RuntimeScalar, runtimeScalar } from "@pt2/registry";
import { isRealNumber, isTensorData, type RealNumber, type RunValue } from "./run-value.ts";

/**
 * Placeholders for the values of a run while a stage is lowered: tensors by dtype and shape, numbers by their cells.
 */
export class Placeholders {
  /** One placeholder for each value. */
  readonly values: readonly ArgValue[];
  /** The tensors among them, those in lists included. */
  readonly tensors: readonly LoweredTensor[];
  readonly #tensors: LoweredTensor[] = [];
  readonly #cells: { value: RealNumber }[] = [];
  readonly #before: readonly LoweredTensor[];

  /** Tensors that have the type and the name of one in `before` are that one. */
  constructor(values: readonly RunValue[], nameOf: (index: number) => string, before?: Placeholders | undefined) {
    this.#before = before?.tensors ?? [];
    this.values = values.map((value, i) => this.#placeholder(value, nameOf(i)));
    this.tensors = this.#tensors;
  }

  /** Sets the numbers of another run, whose values have the same kinds. */
  set(values: readonly RunValue[]): void {
    let at = 0;
    const visit = (value: RunValue): void => {
      if (Array.isArray(value)) value.forEach(visit);
      else if (isRealNumber(value)) this.#cells[at++]!.value = value;
    };
    values.forEach(visit);
  }

  #placeholder(value: RunValue, name: string): ArgValue {
    if (Array.isArray(value)) return value.map((item: RunValue, i) => this.#placeholder(item, `${name}.${i}`));
    if (isRealNumber(value)) return this.#number(value, name);
    if (!isTensorData(value)) return value;
    const known = this.#before[this.#tensors.length];
    const isKnown = known?.name === name && known.dtype === value.dtype && sameShape(known.shape, value.shape);
    const tensor: LoweredTensor = isKnown ? known : { dtype: value.dtype, shape: value.shape, name };
    this.#tensors.push(tensor);
    return tensor;
  }

  #number(value: RealNumber, name: string): RuntimeScalar {
    const cell = { value };
    this.#cells.push(cell);
    return runtimeScalar(name, cell);
  }
}
