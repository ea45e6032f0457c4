import type { Dispatch } from "../shader/dispatch.ts";

/** What the shaders of one model are called. They go with the model, which compiled shaders outlive. */
export class ShaderNames {
  readonly #names = new Map<string, string>();
  readonly #namesakes = new Map<string, number>();

  /** The name of a text: that of its dispatch, with a number where others are called so too. */
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
