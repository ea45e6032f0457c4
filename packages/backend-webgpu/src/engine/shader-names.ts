import type { Dispatch } from "../shader/dispatch.ts";

/** The names of the shaders of one model. They go with the model; compiled shaders live longer. */
export class ShaderNames {
  readonly #names = new Map<string, string>();
  readonly #namesakes = new Map<string, number>();

  /** Returns the name of a text: that of its dispatch, with a number where others have the same name. */
  of({ name, code }: Dispatch): string {
    const known = this.#names.get(code);
    if (known !== undefined) return known;
    const same = this.#namesakes.get(name) ?? 0;
    this.#namesakes.set(name, same + 1);
    const unique = same === 0 ? name : `${name} (${same + 1})`;
    this.#names.set(code, unique);
    return unique;
  }
}
