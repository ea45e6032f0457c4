import type {
  Backend,
  CompileRequest,
  Executable,
  MemoryReport,
  Profile,
  RunOptions,
  Tensor,
  Value,
} from "@pt2/backend";
import { type InputSpec, isStateMutation, type OutputSpec, type Program } from "@pt2/graph";

/**
 * Compiles programs of which a buffer has other sizes after a call. Backends have memory for buffers as they are in the
 * file, but take inputs of any sizes: so the buffer is an input of what they compile, and its new value a result.
 */
export function relaid(backend: Backend): Pick<Backend, "compile"> {
  return { compile: (request) => compileRelaid(backend, request) };
}

async function compileRelaid(backend: Backend, request: CompileRequest): Promise<Executable> {
  const { program, initial } = withInputs(request.program);
  const { weights, registry, signal } = request;
  const reset = async (): Promise<readonly Tensor[]> => {
    const reader = await backend.compile({ program: initial, weights, registry, ...(signal && { signal }) });
    return (await reader.run([]).finally(() => reader.dispose())) as Tensor[];
  };
  const targets = initial.inputs.flatMap((spec) => ("target" in spec ? [spec.target] : []));
  // What is written for the sizes that types name does not hold for others.
  const state = await reset();
  return new RelaidExecutable(await backend.compile({ ...request, program, precision: "exact" }), {
    targets,
    state,
    reset,
  });
}

/** Makes relaid buffers the last inputs, and their new values the last results; `initial` returns them as they are in the file. */
function withInputs(program: Program): { readonly program: Program; readonly initial: Program } {
  const { graph, inputs, outputs } = program;
  const states = inputs.filter((spec) => "target" in spec && isRelaid(program, spec));
  const values = states.flatMap((spec) => ("value" in spec ? (spec.value ?? []) : []));
  const targets = states.flatMap((spec) => ("target" in spec ? [spec.target] : []));
  const results = outputs.map((spec, i) => ({ spec, arg: graph.outputs[i]! }));
  const last = targets.map((target) => results.find(({ spec }) => isWriteOf(spec, target))!);
  const others = results.filter((one) => !last.includes(one));
  return {
    initial: {
      ...program,
      inputs: states,
      outputs: last.map(() => ({ kind: "user_output" }) as const),
      graph: { ...graph, inputs: values, nodes: [], outputs: values.map((name) => ({ kind: "value", name })) },
    },
    program: {
      ...program,
      inputs: [
        ...inputs.filter((spec) => !states.includes(spec)),
        ...values.map((value) => ({ kind: "user_input", value }) as const),
      ],
      outputs: [...others.map(({ spec }) => spec), ...last.map(() => ({ kind: "user_output" }) as const)],
      graph: {
        ...graph,
        inputs: [...graph.inputs.filter((name) => name === null || !values.includes(name)), ...values],
        outputs: [...others, ...last].map(({ arg }) => arg),
      },
    },
  };
}

/** Whether a buffer or parameter has other sizes after a call than before the first. */
function isRelaid({ graph, outputs }: Program, spec: InputSpec): boolean {
  if (!("target" in spec)) return false;
  const arg = graph.outputs[outputs.findIndex((output) => isWriteOf(output, spec.target))];
  const [before, after] = [spec.value, arg?.kind === "value" ? arg.name : ""].map((name) => graph.values.get(name));
  return before?.kind === "tensor" && after?.kind === "tensor" && `${before.shape}` !== `${after.shape}`;
}

function isWriteOf(spec: OutputSpec, target: string): boolean {
  return isStateMutation(spec) && spec.target === target;
}

/** Buffers that runs take and return. */
interface States {
  readonly targets: readonly string[];
  readonly state: readonly Tensor[];
  /** Makes them as they are in the file. */
  readonly reset: () => Promise<readonly Tensor[]>;
}

/** An executable that gives each run what the one before made of some buffers. */
class RelaidExecutable implements Executable {
  readonly onCallingThread?: string;
  readonly runSync?: (inputs: readonly Value[]) => readonly Value[];
  readonly trace?: NonNullable<Executable["trace"]>;
  readonly warmup?: NonNullable<Executable["warmup"]>;
  readonly recover?: () => Promise<void>;
  readonly readState?: NonNullable<Executable["readState"]>;
  readonly #inner: Executable;
  /** Ends when the last run that was called has. */
  #last: Promise<unknown> = Promise.resolve();
  #state: readonly Tensor[];

  constructor(inner: Executable, { targets, state, reset }: States) {
    this.#inner = inner;
    this.#state = state;
    const { onCallingThread, runSync, trace, warmup, recover, readState } = inner;
    if (onCallingThread !== undefined) this.onCallingThread = onCallingThread;
    if (runSync !== undefined) this.runSync = (inputs) => this.#keep(runSync.call(inner, this.#with(inputs)));
    if (trace !== undefined)
      this.trace = (inputs, observe, options) =>
        this.#run(() => trace.call(inner, this.#with(inputs), observe, options), options);
    if (warmup !== undefined)
      this.warmup = (inputs, options) =>
        this.#inTurn(() => warmup.call(inner, this.#with(inputs), options), options?.signal);
    if (recover !== undefined)
      this.recover = () =>
        this.#inTurn(async () => {
          await recover.call(inner);
          this.#state = await reset();
        });
    if (readState !== undefined)
      this.readState = (asked) =>
        this.#inTurn(async () => {
          const others = await readState.call(
            inner,
            asked.filter((target) => !targets.includes(target)),
          );
          const own = targets.flatMap((target, i) =>
            asked.includes(target) ? [[target, this.#state[i]!] as const] : [],
          );
          const read = own.map(async ([target, value]) => [target, await value.cpu()] as const);
          return new Map([...others, ...(await Promise.all(read))]);
        });
  }

  run(inputs: readonly Value[], options?: RunOptions): Promise<readonly Value[]> {
    return this.#run(() => this.#inner.run(this.#with(inputs), options), options);
  }

  profile(inputs: readonly Value[], options?: RunOptions): Promise<Profile> {
    return this.#inTurn(async () => {
      const profile = await this.#inner.profile(this.#with(inputs), options);
      return { ...profile, outputs: this.#keep(profile.outputs) };
    }, options?.signal);
  }

  memory(): Promise<MemoryReport> {
    return this.#inner.memory();
  }

  explain(): Promise<string> {
    return this.#inner.explain();
  }

  async dispose(): Promise<void> {
    await this.#last;
    for (const tensor of this.#state) tensor.dispose();
    await this.#inner.dispose();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.dispose();
  }

  #inTurn<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    const result = this.#last.then(() => {
      signal?.throwIfAborted();
      return work();
    });
    this.#last = result.catch(() => {});
    return result;
  }

  #with(inputs: readonly Value[]): readonly Value[] {
    return [...inputs, ...this.#state];
  }

  #run(work: () => Promise<readonly Value[]>, options?: RunOptions): Promise<readonly Value[]> {
    return this.#inTurn(async () => this.#keep(await work()), options?.signal);
  }

  /** Returns what the caller gets, and keeps the rest for the next run. */
  #keep(results: readonly Value[]): readonly Value[] {
    const first = results.length - this.#state.length;
    for (const old of this.#state) old.dispose();
    this.#state = results.slice(first) as Tensor[];
    return results.slice(0, first);
  }
}
