import { grad, tieParameters, withLoss } from "@pt2/autograd";
import { HostTensor, type RunOptions, RunQueue, type Tensor, type Value } from "@pt2/backend";
import type { Pt2Error, WeightTensor } from "@pt2/format";
import { requireOptions } from "@pt2/format/options";
import { type InputSpec, isGradient, isReturned, type Node, type Program } from "@pt2/graph";
import { type LoadOptions, load, type Model, type ProgramSource } from "@pt2/runtime";
import type { Adapter } from "./lora.ts";
import { memoryWeight } from "./memory-weight.ts";
import type { Schedule } from "./schedules.ts";
import { trainError } from "./train-errors.ts";
import { checkTrainerOptions, type TrainerOptions } from "./trainer-options.ts";
import { type Precision, stepNumbers, type TrainingOptions, withOptimizer } from "./with-optimizer.ts";

// What not every trainer needs is loaded with its first use.
const RUN_OPTIONS: Readonly<Record<keyof RunOptions, string>> = { signal: "AbortSignal" };

const rare = () => import("./rare.ts");
const adapters = () => import("./lora.ts");
const checkpoints = () => import("./checkpoint.ts");
const files = () => import("./saved-program.ts");

/** A batch: the inputs of the program in order. */
export type Batch = readonly unknown[];

/** What a step returns. */
export interface TrainingStep {
  /** Counts the updates from 1; batches that are accumulated belong to the same step. */
  readonly step: number;
  readonly loss: number;
  /** What the program returns, in flattened order; the loss is one of it. The caller disposes tensors on a device. */
  readonly outputs: readonly Value[];
  /** The norm of all gradients before they were clipped, if they are. */
  readonly gradientNorm?: number;
}

/** Trains a program: parameters and the optimizer's state stay where the backend computes. */
export interface Trainer extends AsyncDisposable {
  /** The number of updates so far. */
  readonly step: number;
  /** The names of the parameters that are trained. */
  readonly parameters: readonly string[];
  /** Trains on one batch. A call that comes before another is done waits for it. */
  train(batch: Batch, options?: RunOptions): Promise<TrainingStep>;
  /** Trains on batch after batch; an abort ends it between two steps, or during one. */
  fit(batches: Iterable<Batch> | AsyncIterable<Batch>, options?: RunOptions): AsyncGenerator<TrainingStep, void, void>;
  /** Returns the parameters and buffers as they are now, by name; without the optimizer's state. */
  weights(): Promise<ReadonlyMap<string, HostTensor>>;
  /**
   * Loads the program that was given, with the weights as they are now: for predictions while training goes on. The
   * caller disposes it.
   */
  model(options?: Partial<LoadOptions>): Promise<Model>;
  /** Returns the `.pt2` file of the program that was given, with the weights as they are now. */
  save(): Promise<Uint8Array>;
  /** Returns everything that training goes on from, as a `.safetensors` file. */
  checkpoint(): Promise<Uint8Array>;
  dispose(): Promise<void>;
}

/**
 * Prepares a program for training. `source` is a program that returns its loss, one that returns predictions
 * (`options.loss` is added), or one of forward and backward that PyTorch made; `openProgram` of `@pt2/runtime` opens a
 * file. The trainer closes it when it is disposed.
 */
export async function createTrainer(source: ProgramSource, options: TrainerOptions): Promise<Trainer> {
  // It is awaited later: its failure is reported then, and the source is closed.
  Promise.resolve(options?.backend).catch(() => {});
  try {
    return await create(source, options);
  } catch (problem) {
    await source?.close?.();
    throw problem;
  }
}

async function create(source: ProgramSource, options: TrainerOptions): Promise<Trainer> {
  checkTrainerOptions(options);
  const {
    optimizer,
    loss,
    of,
    shapes,
    lora,
    train,
    groups: given,
    schedule = () => 1,
    clipNorm = null,
    clipValue = null,
    accumulate = 1,
    checkpoint,
    weights: first,
    signal,
    ...loadOptions
  } = options;
  const { lr, weightDecay } = optimizer;
  const areNumbers = Number.isInteger(accumulate) && accumulate > 0 && clipNorm !== 0 && clipValue !== 0 && lr >= 0;
  if (!areNumbers) (await rare()).refuseNumbers(options);
  if (Object(source).program?.graph === undefined) (await rare()).refuseSource(source);
  const { program, tied } = tieParameters(source.program, source.weights);
  const begin = first === undefined ? source.weights : (await rare()).withValues(source.weights, first, tied);
  const adapted = lora === undefined ? null : (await adapters()).withLora(program, lora);
  const predicting = adapted?.program ?? program;
  const complete = loss === undefined ? predicting : withLoss(predicting, loss);
  const isTrained = train ?? (lora === undefined ? requiresGrad(source.weights) : () => false);
  const wanted = trainable(complete).filter((name) => adapted?.weights.has(name) === true || isTrained(name));
  if (wanted.length === 0) (await rare()).refuseParameters(trainable(complete));
  const joint = complete.outputs.some(isGradient)
    ? complete
    : await grad(complete, {
        wrt: wanted,
        ...(of === undefined ? (loss === undefined ? {} : { of: 0 }) : { of }),
        ...(shapes === undefined ? {} : { shapes }),
        ...(options.ops === undefined ? {} : { ops: options.ops }),
      });
  const names = wanted.filter((name) => !isUnused(name, joint));
  if (names.length === 0) (await rare()).refuseParameters(trainable(complete));
  const groups =
    given === undefined ? [{ names, lr, weightDecay }] : (await rare()).parameterGroups(names, given, optimizer);
  const hasComplex = names.some((name) => source.weights.get(name)?.dtype.startsWith("complex"));
  const training: TrainingOptions = {
    ...{ optimizer, groups, clipNorm, clipValue, accumulate },
    ...(hasComplex && { inReal: (await rare()).inReal }),
  };
  const made = withOptimizer(joint, training);
  const weights = new Map([...begin, ...(adapted?.weights ?? []), ...made.state]);
  const restored =
    checkpoint === undefined ? null : await (await checkpoints()).restore(checkpoint, training, weights, made.program);
  const model = await load({ program: made.program, weights }, { ...loadOptions, ...(signal && { signal }) });
  if (model.readState === undefined) {
    await model.dispose();
    (await rare()).refuseBackend(model.backend);
  }
  return new ProgramTrainer({
    source: { ...source, weights: begin },
    tied,
    adapters: adapted?.adapters ?? [],
    model,
    training,
    state: new Set(made.state.keys()),
    precision: made.precision,
    schedule,
    loadOptions,
    parameters: names,
    step: restored?.step ?? 0,
    micro: restored?.micro ?? 0,
  });
}

interface TrainerParts {
  readonly source: ProgramSource;
  readonly tied: ReadonlyMap<string, string>;
  readonly adapters: readonly Adapter[];
  readonly model: Model;
  readonly training: TrainingOptions;
  /** The names of the optimizer's buffers. */
  readonly state: ReadonlySet<string>;
  readonly precision: Precision;
  readonly schedule: Schedule;
  readonly loadOptions: LoadOptions;
  readonly parameters: readonly string[];
  readonly step: number;
  readonly micro: number;
}

class ProgramTrainer implements Trainer {
  readonly parameters: readonly string[];
  readonly #parts: TrainerParts;
  readonly #lossAt: number;
  /** A step reads what the one before counted. */
  readonly #turns = new RunQueue(disposed);
  #step: number;
  #micro: number;
  #disposed: Promise<void> | undefined;

  constructor(parts: TrainerParts) {
    this.#parts = parts;
    this.#step = parts.step;
    this.#micro = parts.micro;
    this.parameters = parts.parameters;
    const returned = parts.model.program.outputs.filter(isReturned);
    this.#lossAt = returned.findIndex(({ kind }) => kind === "loss_output");
  }

  get step(): number {
    return this.#step;
  }

  async train(batch: Batch, options: RunOptions = {}): Promise<TrainingStep> {
    requireOptions("train()", options, RUN_OPTIONS, "train.options");
    return await this.#turns.run(() => this.#train(batch, options), options.signal);
  }

  async #train(batch: Batch, options: RunOptions): Promise<TrainingStep> {
    const { training, schedule, model, precision } = this.#parts;
    // The last input has the numbers of the step.
    const inputs = model.inputs.slice(0, -1);
    if (!(Array.isArray(batch) && batch.length === inputs.length)) (await rare()).refuseBatch(batch, inputs);
    const step = this.#step + 1;
    const factor = schedule(step);
    if (!(Number.isFinite(factor) && factor >= 0)) (await rare()).refuseFactor(factor, step);
    const numbers = stepNumbers(training, step, this.#micro, factor);
    const elements = precision === "float64" ? Float64Array.from(numbers) : Float32Array.from(numbers);
    const vector = new HostTensor(precision, [numbers.length], new Uint8Array(elements.buffer));
    const values = await model
      .runFlat([...batch, vector], options)
      .catch(async (problem) => (await rare()).refuseStep(problem));
    this.#micro = (this.#micro + 1) % training.accumulate;
    if (this.#micro === 0) this.#step = step;
    const outputs = training.clipNorm === null ? values : values.slice(0, -1);
    const loss = await numberOf(outputs[this.#lossAt]);
    if (training.clipNorm === null) return { step, loss, outputs };
    return { step, loss, outputs, gradientNorm: await numberOf(values.at(-1)) };
  }

  async *fit(
    batches: Iterable<Batch> | AsyncIterable<Batch>,
    options: RunOptions = {},
  ): AsyncGenerator<TrainingStep, void, void> {
    requireOptions("fit()", options, RUN_OPTIONS, "train.options");
    if (!isIterable(batches)) (await rare()).refuseBatches(batches);
    for await (const batch of batches) {
      options.signal?.throwIfAborted();
      const done = await this.train(batch, options);
      try {
        yield done;
      } finally {
        for (const value of done.outputs) if (isTensor(value)) value.dispose();
      }
    }
  }

  async weights(): Promise<ReadonlyMap<string, HostTensor>> {
    const { source, model, tied } = this.#parts;
    const state = await this.#state();
    return await (await rare()).presentWeights(model.program, source.weights, state, tied);
  }

  async model(options: Partial<LoadOptions> = {}): Promise<Model> {
    return await load(await this.#trained(), { ...this.#parts.loadOptions, ...options });
  }

  async save(): Promise<Uint8Array> {
    return await (await files()).savedProgram(await this.#trained());
  }

  async checkpoint(): Promise<Uint8Array> {
    const { model, training } = this.#parts;
    const [state, progress] = await this.#turns.run(async () => {
      const { accumulate } = training;
      return [await model.readState!(), { step: this.#step, micro: this.#micro, accumulate }];
    });
    return await (await checkpoints()).writeCheckpoint(training.optimizer, progress, state);
  }

  dispose(): Promise<void> {
    const { model, source } = this.#parts;
    this.#disposed ??= this.#turns
      .close()
      .then(() => model.dispose())
      .finally(() => source.close?.());
    return this.#disposed;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.dispose();
  }

  /** The parameters and buffers that the backend keeps: those that never change may be part of its code. */
  async #state(): Promise<ReadonlyMap<string, HostTensor>> {
    const { model, state: optimizer } = this.#parts;
    const state = await this.#turns.run(() => model.readState!());
    return new Map([...state].filter(([name]) => !optimizer.has(name)));
  }

  /** The program that was given, with the present weights. */
  async #trained(): Promise<ProgramSource> {
    const { source, tied, adapters: adapted } = this.#parts;
    const present = new Map(await this.#state());
    if (adapted.length > 0) await (await adapters()).mergeAdapters(adapted, source.weights, present);
    const weights = new Map<string, WeightTensor>();
    for (const [name, weight] of source.weights) {
      const owner = tied.get(name) ?? name;
      const tensor = present.get(owner);
      const trained = tensor && memoryWeight(name, weight.kind, tensor, `trained:${owner}`);
      weights.set(name, trained === undefined ? weight : { ...trained, requiresGrad: weight.requiresGrad });
    }
    return { program: source.program, weights };
  }
}

function disposed(): Pt2Error {
  return trainError("train.disposed", {
    what: "The trainer was disposed",
    advice: "Save what was trained before that, or dispose it only after the last step.",
  });
}

/** The parameters that a program has gradients of, or can have. */
function trainable({ inputs, outputs, graph }: Program): readonly string[] {
  if (outputs.some(isGradient)) {
    return outputs.flatMap((spec) => (spec.kind === "gradient_to_parameter" ? [spec.target] : []));
  }
  return inputs.flatMap((spec: InputSpec) => {
    const type = spec.kind === "parameter" ? graph.values.get(spec.value) : undefined;
    return spec.kind === "parameter" && type?.kind === "tensor" && /^(b?float|complex)/.test(type.dtype)
      ? [spec.target]
      : [];
  });
}

/** Returns whether a parameter requires gradients; weights of which none does, as those of other files, do not say. */
function requiresGrad(weights: ProgramSource["weights"]): (name: string) => boolean {
  const says = [...weights.values()].some((weight) => weight.requiresGrad);
  return (name) => !says || weights.get(name)?.requiresGrad === true;
}

/** Returns whether the loss does not depend on a parameter, whose gradient is a constant then. Optimizers leave it alone. */
function isUnused(name: string, { outputs, graph }: Program): boolean {
  const at = outputs.findIndex((spec) => spec.kind === "gradient_to_parameter" && spec.target === name);
  const gradient = graph.outputs[at];
  const isOutput = (output: Node["outputs"][number]): boolean =>
    output.kind === "value" && gradient?.kind === "value" && output.name === gradient.name;
  const made = graph.nodes.find((node) => node.outputs.some(isOutput));
  return made?.op === "aten::full" && made.args.some(({ arg }) => arg.kind === "int" && arg.value === 0);
}

async function numberOf(value: Value | undefined): Promise<number> {
  if (!isTensor(value)) return Number(value);
  return Number(((await value.read()) as ArrayLike<number>)[0]);
}

function isTensor(value: Value | undefined): value is Tensor {
  return typeof value === "object" && value !== null;
}

function isIterable(value: unknown): boolean {
  return Symbol.asyncIterator in Object(value) || Symbol.iterator in Object(value);
}
