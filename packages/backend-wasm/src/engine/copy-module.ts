import { instantiate } from "../instantiate.ts";
import type { CopyKernels } from "../kernels/copy/copies.gen.ts";
import type { Team } from "../threads/team.ts";

/** The module of all copies, which loads while a plan is made that is faster with it. Without it those of the backend copy the same. */
export class CopyModule {
  #isWanted = false;
  #kernels: CopyKernels | null = null;

  /** The kernels, if they are there. */
  get kernels(): CopyKernels | null {
    return this.#kernels;
  }

  /** Says that a plan copies what these kernels copy faster. */
  want(): this {
    this.#isWanted = true;
    return this;
  }

  /** Loads the module if a plan wants it, unless a page is offline. */
  async load(memory: WebAssembly.Memory, team: Team): Promise<void> {
    if (!this.#isWanted || this.#kernels !== null) return;
    const loaded = await import("../kernels/copy/copies.gen.ts").catch(() => null);
    if (loaded !== null) this.#kernels = instantiate<CopyKernels>(loaded.kernelsBase64)(memory, team);
  }
}

/** Makes the module of an executable, as state of its device. */
export const newCopyModule = (): CopyModule => new CopyModule();
