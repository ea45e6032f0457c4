import type {
  Backend,
  Executable,
  HostTensor,
  MemoryReport,
  Profile,
  RunOptions,
  TraceObserver,
  Value,
  WarmupOptions,
} from "@pt2/backend";
import type { Archive } from "@pt2/format";
import { wrongOptions } from "@pt2/format/options";
import type { Program } from "@pt2/graph";
import { type Call, CallConvention } from "./call.ts";
import { InputChecker } from "./check-inputs.ts";
import type { Model } from "./model.ts";
import { RUN_OPTIONS } from "./requirements.ts";
import { isJoint, resultOf, type StepResult, stepResultOf } from "./result.ts";
import { RunsInOrder } from "./runs-in-order.ts";
import { runtimeError } from "./runtime-errors.ts";
import { describeType, inputsOf, type LeafInfo, type OutputInfo, outputsOf } from "./signature.ts";

/** The components of a model. */
export interface ModelParts {
  readonly backend: Pick<Backend, "name" | "capabilities">;
  readonly program: Program;
  readonly executable: Executable;
  /** The archive stays open with the model, because executables may read weights on first use. */
  readonly archive: Pick<Archive, "close">;
}

/** A {@link Model} over an executable. */
export class LoadedModel implements Model {
  readonly backend: string;
  readonly program: Program;
  readonly offThread: boolean;
  readonly inputs: readonly LeafInfo[];
  readonly outputs: readonly OutputInfo[];
  readonly forwardSync?: <Result>(...inputs: readonly unknown[]) => Result;
  readonly runSync?: <Result>(call: Call) => Result;
  readonly trace?: <Result>(call: Call, observe: TraceObserver, options?: RunOptions) => Promise<Result>;
  readonly readState?: () => Promise<ReadonlyMap<string, HostTensor>>;
  readonly step?: <Outputs>(...inputs: readonly unknown[]) => Promise<StepResult<Outputs>>;
  readonly recover?: () => Promise<void>;
  readonly #executable: Executable;
  readonly #archive: Pick<Archive, "close">;
  readonly #convention: CallConvention;
  readonly #checker: InputChecker;
  readonly #runs = new RunsInOrder();
  #disposed: Promise<void> | undefined;

  constructor({ backend, program, executable, archive }: ModelParts) {
    this.backend = backend.name;
    this.program = program;
    this.offThread = executable.onCallingThread === undefined && backend.capabilities.offThread === true;
    this.inputs = inputsOf(program);
    this.outputs = outputsOf(program);
    this.#executable = executable;
    this.#archive = archive;
    this.#convention = new CallConvention(program, this.inputs);
    this.#checker = new InputChecker(program, this.inputs);
    if (executable.runSync !== undefined) {
      this.runSync = <Result>(call: Call) => this.#result<Result>(this.#alive().runSync!(this.#checked(call)));
      this.forwardSync = <Result>(...given: readonly unknown[]) =>
        this.runSync!<Result>(this.#convention.arrange(given));
    }
    if (isJoint(program)) {
      this.step = async <Outputs>(...given: readonly unknown[]) => {
        const values = await this.runFlat(this.leavesOf(this.#convention.arrange(given)));
        return stepResultOf(program, this.inputs, values) as StepResult<Outputs>;
      };
    }
    if (executable.readState !== undefined) {
      const targets = program.inputs.flatMap((spec) =>
        spec.kind === "parameter" || spec.kind === "buffer" ? [spec.target] : [],
      );
      this.readState = () => this.#alive().readState!(targets);
    }
    if (executable.recover !== undefined) this.recover = () => this.#alive().recover!();
    if (executable.trace !== undefined) {
      this.trace = async <Result>(call: Call, observe: TraceObserver, options?: RunOptions) =>
        this.#result<Result>(
          await this.#start(this.#checked(call), options, (model, inputs) => model.trace!(inputs, observe, options)),
        );
    }
  }

  async forward<Result>(...inputs: readonly unknown[]): Promise<Result> {
    return this.#result<Result>(await this.runFlat(this.leavesOf(this.#convention.arrange(inputs))));
  }

  async run<Result>(call: Call, options?: RunOptions): Promise<Result> {
    return this.#result<Result>(await this.runFlat(this.leavesOf(call), options));
  }

  leavesOf(call: Call): readonly unknown[] {
    return this.#convention.leavesOf(call);
  }

  // Not async, like what it calls: each promise around another one takes time that a small program has no use for.
  runFlat(leaves: readonly unknown[], options?: RunOptions): Promise<readonly Value[]> {
    try {
      const given = this.#checker.check(leaves);
      return this.#start(given, options, (model, inputs) => model.run(inputs, options));
    } catch (problem) {
      return Promise.reject(problem);
    }
  }

  async warmup(call: Call, options?: WarmupOptions): Promise<void> {
    const given = this.#checked(call);
    await this.#start(given, options, async (model, inputs) => await model.warmup?.(inputs, options));
  }

  async profile(call: Call, options?: RunOptions): Promise<Profile> {
    const given = this.#checked(call);
    return await this.#start(given, options, (model, inputs) => model.profile(inputs, options));
  }

  async memory(): Promise<MemoryReport> {
    return await this.#alive().memory();
  }

  async explain(): Promise<string> {
    return await this.#alive().explain();
  }

  dispose(): Promise<void> {
    this.#disposed ??= this.#executable.dispose().finally(() => this.#archive.close());
    return this.#disposed;
  }

  static {
    // Node's `console.log` and `util.inspect` call it.
    Object.defineProperty(LoadedModel.prototype, Symbol.for("nodejs.util.inspect.custom"), {
      value(this: LoadedModel) {
        return this.toString();
      },
    });
  }

  toString(): string {
    const leaves = (kind: string, all: readonly LeafInfo[]): readonly string[] =>
      all.map(({ name, type }) => `  ${kind} ${name}: ${describeType(type)}`);
    return [`Model on ${this.backend} (`, ...leaves("input", this.inputs), ...leaves("output", this.outputs), ")"].join(
      "\n",
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  #start<Result>(
    given: readonly Value[],
    options: RunOptions | undefined,
    run: (executable: Executable, inputs: readonly Value[]) => Promise<Result>,
  ): Promise<Result> {
    const [wrong] = options === undefined ? [] : wrongOptions(options, RUN_OPTIONS);
    if (wrong !== undefined) return refused(options, wrong);
    return this.#runs.start(given, (inputs) => run(this.#alive(), inputs));
  }

  #checked(call: Call): readonly Value[] {
    return this.#checker.check(this.leavesOf(call));
  }

  #result<Result>(values: readonly Value[]): Result {
    return resultOf(this.program, values) as Result;
  }

  #alive(): Executable {
    if (this.#disposed === undefined) return this.#executable;
    throw runtimeError("runtime.disposed", {
      what: "The model was disposed",
      advice: "load it again, or dispose it only after the last call",
    });
  }
}

/** Rejects, and says what is wrong with the options of a run. */
async function refused(options: unknown, wrong: string): Promise<never> {
  return (await import("./refusals.ts")).refuseOption("A run", options, RUN_OPTIONS, wrong);
}
