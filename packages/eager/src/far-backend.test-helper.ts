import { type Backend, type CompileRequest, type Executable, type HostTensor, Tensor, type Value } from "@pt2/backend";
import type { Program } from "@pt2/graph";

/** What a {@link farBackend} has done, and what it holds. */
export interface FarCounts {
  /** The programs that were compiled, in order. */
  readonly programs: Program[];
  /** The number of runs. */
  runs: number;
  /** The executables that are not disposed. */
  readonly executables: Set<Executable>;
  /** The memories that are not freed. */
  readonly memories: Set<Memory>;
}

interface Memory {
  readonly tensor: HostTensor;
  holders: number;
}

/** Makes a backend that keeps results on a device of its own, where only it can use them, and counts everything. */
export function farBackend(inner: Backend): Backend & { readonly counts: FarCounts } {
  const counts: FarCounts = { programs: [], runs: 0, executables: new Set(), memories: new Set() };
  return {
    name: inner.name,
    apiVersion: inner.apiVersion,
    capabilities: inner.capabilities,
    counts,
    unsupported: (program, registry) => inner.unsupported(program, registry),
    compile: async (request: CompileRequest) => {
      counts.programs.push(request.program);
      const made = await inner.compile(request);
      const executable: Executable = {
        run: async (inputs: readonly Value[]) => {
          counts.runs++;
          const values = await made.run(inputs.map(near));
          return values.map((value) => (value instanceof Tensor ? FarTensor.make(value as HostTensor, counts) : value));
        },
        profile: (inputs) => made.profile(inputs.map(near)),
        memory: () => made.memory(),
        explain: () => made.explain(),
        dispose: async () => {
          counts.executables.delete(executable);
          await made.dispose();
        },
        [Symbol.asyncDispose]: () => made.dispose(),
      };
      counts.executables.add(executable);
      return executable;
    },
    upload: async (tensor) => FarTensor.make(tensor, counts),
    dispose: () => inner.dispose(),
    [Symbol.asyncDispose]: () => inner.dispose(),
  };
}

function near(value: Value): Value {
  return value instanceof FarTensor ? value.memory.tensor : value;
}

/** A tensor of a device whose memory is freed by its last holder. */
class FarTensor extends Tensor {
  readonly bytes = null;
  readonly #counts: FarCounts;
  #memory: Memory | null;

  private constructor(memory: Memory, counts: FarCounts) {
    super(memory.tensor.dtype, memory.tensor.shape, "far");
    this.#memory = memory;
    this.#counts = counts;
    memory.holders++;
  }

  static make(tensor: HostTensor, counts: FarCounts): FarTensor {
    const memory = { tensor, holders: 0 };
    counts.memories.add(memory);
    return new FarTensor(memory, counts);
  }

  get memory(): Memory {
    if (this.#memory === null || this.#memory.holders === 0) throw new Error("the tensor was disposed");
    return this.#memory;
  }

  async readBytes(): Promise<Uint8Array> {
    return this.memory.tensor.bytes;
  }

  override share(): FarTensor {
    return new FarTensor(this.memory, this.#counts);
  }

  dispose(): void {
    if (this.#memory === null) return;
    this.#memory.holders--;
    if (this.#memory.holders === 0) this.#counts.memories.delete(this.#memory);
    this.#memory = null;
  }
}
