import { readFile } from "node:fs/promises";
import { withLoss } from "@pt2/autograd";
import type { Seed } from "@pt2/backend";
import { fromBytes, openSafetensors, Pt2Error } from "@pt2/format";
import { isGradient, type Program } from "@pt2/graph";
import { inputsOf } from "@pt2/runtime";
import { openProgram } from "@pt2/runtime/node";
import {
  adadelta,
  adagrad,
  adam,
  adamW,
  cosine,
  createTrainer,
  type Optimizer,
  type OptimizerOptions,
  rmsprop,
  sgd,
  type Trainer,
  type TrainerOptions,
} from "@pt2/train";
import { BACKEND_OPTIONS, chooseBackend, SEED_OPTION, seedOf } from "../backends.ts";
import { cliError, usageError } from "../cli-errors.ts";
import type { Command, ExitCode } from "../command.ts";
import { pathOf } from "../file-address.ts";
import { CONFIG_OPTION } from "../load-config.ts";
import { MODEL_OPTION, modelChoice } from "../open-model.ts";
import type { Options } from "../options.ts";
import { plural } from "../report/text.ts";
import { readTensorFile } from "../tensors/tensor-file.ts";
import { ProgressBar } from "../terminal/progress.ts";
import { fileAt, replaceFile, requireReplaceable } from "../terminal/replace-file.ts";
import { type Terminal, toJsonText } from "../terminal/terminal.ts";
import { DataSet } from "../train/data-set.ts";
import { OPS_OPTION, registryWith, type UserOps, userOps } from "../user-ops.ts";

type MakeOptimizer = (options: OptimizerOptions & { readonly momentum?: number }) => Optimizer;

const OPTIMIZERS: Readonly<Record<string, MakeOptimizer>> = {
  adadelta,
  adagrad,
  adam,
  adamw: adamW,
  rmsprop,
  sgd,
};

/** Losses that take a target of the type that `withLoss` adds. */
const LOSSES = [
  "binary_cross_entropy",
  "binary_cross_entropy_with_logits",
  "cross_entropy_loss",
  "hinge_embedding_loss",
  "huber_loss",
  "kl_div",
  "l1_loss",
  "mse_loss",
  "nll_loss",
  "smooth_l1_loss",
  "soft_margin_loss",
];

/** `pt2 train` */
export const train: Command = {
  name: "train",
  summary: "train a program on examples, and write it as a .pt2 file that PyTorch opens",
  operands: ["FILE"],
  options: [
    { name: "data", value: "D", help: "examples as .safetensors or .npz, by input name or position; one row each" },
    { name: "output", short: "o", value: "FILE.pt2", help: "the file to write" },
    { name: "loss", value: "OP", help: "a loss to add, such as cross_entropy_loss or mse_loss; its input is `target`" },
    { name: "optimizer", value: "O", help: `${Object.keys(OPTIMIZERS).join(", ")}; default: adamw` },
    { name: "lr", value: "R", help: "learning rate; default: that of PyTorch's optimizer" },
    { name: "weight-decay", value: "D", help: "weight decay; default: that of PyTorch's optimizer" },
    { name: "momentum", value: "M", help: "momentum of sgd and rmsprop" },
    { name: "epochs", value: "N", help: "passes over the examples; default: 1" },
    { name: "batch", value: "N", help: "examples in a batch; default: what the program was exported with" },
    { name: "accumulate", value: "N", help: "batches for one update; default: 1" },
    { name: "clip", value: "N", help: "scale gradients so that their norm is at most this" },
    { name: "cosine", help: "let the learning rate fall to zero along a cosine, over the steps before --resume too" },
    { name: "train", value: "REGEX", help: "train only parameters whose name matches" },
    {
      ...SEED_OPTION,
      help: "seed of the order of the examples, default: 0, and of random numbers, as of torch.manual_seed",
    },
    { name: "resume", value: "C", help: "go on from a checkpoint" },
    { name: "checkpoint", value: "C", help: "write a checkpoint, a .safetensors file, at the end" },
    ...BACKEND_OPTIONS,
    OPS_OPTION,
    CONFIG_OPTION,
    MODEL_OPTION,
  ],
  notes: [
    "FILE returns its loss, or predictions that --loss compares with a target, or is what PyTorch's",
    "torch.export.experimental._export_forward_backward made. Dropout and batch normalization train if the module was",
    "exported in train mode. The loss of an epoch is the mean over its batches.",
  ].join("\n"),

  async run(options: Options, terminal: Terminal): Promise<ExitCode> {
    const data = pathOf(options.required("data"));
    const [output, checkpoint] = [options.path("output"), options.path("checkpoint")];
    if (output === undefined && checkpoint === undefined) {
      throw usageError(
        "train needs --output or --checkpoint",
        "pt2 train model.pt2 --data d.safetensors -o trained.pt2",
      );
    }
    if (output !== undefined && checkpoint !== undefined && (await fileAt(output)) === (await fileAt(checkpoint))) {
      throw usageError(`--output and --checkpoint are one file, ${output}`, "give the checkpoint a name of its own");
    }
    const epochs = options.count("epochs", 1, 1);
    const optimizer = optimizerOf(options);
    const tensors = await readTensorFile(data);
    const source = await openProgram(options.file, modelChoice(options));
    const own = await userOps(options);
    const lossOptions = await lossOf(options, own);
    const complete = lossOptions.loss === undefined ? source.program : withLoss(source.program, lossOptions.loss);
    const examples = new DataSet(tensors, inputsOf(complete), data);
    const size = batchSize(options, complete, examples);
    const perEpoch = Math.floor(examples.count / size);
    if (perEpoch === 0) throw usageError(`${data} has ${plural(examples.count, "example")}, and a batch has ${size}`);
    const accumulate = options.count("accumulate", 1, 1);
    const batches = perEpoch * epochs;
    requireUpdate(batches, accumulate);
    // A checkpoint may lie within an update, which this run then completes.
    const updates = batches / accumulate;
    const steps = options.path("resume") === undefined ? Math.floor(updates) : Math.ceil(updates);
    let stepsBefore = 0;
    for (const path of [output, checkpoint]) if (path !== undefined) await requireReplaceable(path);
    const backend = await chooseBackend(options, terminal);
    try {
      await using trainer = await createTrainer(source, {
        backend,
        ...own,
        ...lossOptions,
        optimizer,
        accumulate,
        ...shapesOf(complete, examples, size),
        ...(options.number("clip") === undefined ? {} : { clipNorm: options.number("clip")! }),
        ...(options.flag("cosine") ? { schedule: (step) => cosine({ steps: stepsBefore + steps })(step) } : {}),
        ...trainedBy(options),
        ...(await resumedFrom(options)),
      }).catch(adviseLoss);
      stepsBefore = trainer.step;
      const losses = await trainEpochs(
        trainer,
        examples,
        { epochs, size, perEpoch, seed: seedOf(options) ?? 0 },
        terminal,
      );
      if (output !== undefined) await replaceFile(output, async (write) => write(await trainer.save()));
      if (checkpoint !== undefined) await replaceFile(checkpoint, async (write) => write(await trainer.checkpoint()));
      if (options.flag("json")) {
        terminal.out(
          toJsonText({ backend: backend.name, steps: trainer.step, batch: size, losses, output: output ?? null }),
        );
      } else if (output !== undefined)
        terminal.err(`${output}: trained ${plural(trainer.parameters.length, "parameter")}\n`);
      return 0;
    } finally {
      await backend.dispose();
    }
  },
};

/** The loss that is added to the program. */
async function lossOf(options: Options, own: UserOps): Promise<Pick<TrainerOptions, "loss">> {
  const name = options.text("loss");
  if (name === undefined) return {};
  const loss = name.includes("::") ? name : `aten::${name}`;
  const registry = registryWith(own);
  await registry.load([loss]);
  if (registry.resolve(loss) !== undefined) return { loss: { loss } };
  throw usageError(`there is no loss "${name}"`, `the losses are ${LOSSES.join(", ")}, and what --ops defines`);
}

/** The library's own advice names functions; on the command line an option adds the loss. */
function adviseLoss(problem: unknown): never {
  if (!(problem instanceof Pt2Error && problem.code === "autograd.of")) throw problem;
  throw cliError("cli.usage", {
    what: problem.what,
    advice: `--loss OP compares the first result with a target: ${LOSSES.join(", ")}; or export a module that returns its loss alone`,
    cause: problem,
  });
}

function optimizerOf(options: Options): Optimizer {
  const name = options.text("optimizer") ?? "adamw";
  const make = Object.hasOwn(OPTIMIZERS, name) ? OPTIMIZERS[name] : undefined;
  if (make === undefined) {
    throw usageError(`there is no optimizer "${name}"`, `the optimizers are ${Object.keys(OPTIMIZERS).join(", ")}`);
  }
  const [lr, weightDecay, momentum] = ["lr", "weight-decay", "momentum"].map((option) => options.number(option));
  return make({
    ...(lr === undefined ? {} : { lr }),
    ...(weightDecay === undefined ? {} : { weightDecay }),
    ...(momentum === undefined ? {} : { momentum }),
  });
}

/** The number of examples that the program takes, or that the command line says. */
function batchSize(options: Options, program: Program, { count }: DataSet): number {
  const [first] = inputsOf(program);
  const fixed = first?.type.kind === "tensor" ? first.type.shape[0] : undefined;
  const given = options.number("batch");
  if (typeof fixed !== "number") return options.count("batch", Math.min(32, count), 1);
  if (given === undefined || given === fixed) return fixed;
  throw usageError(
    `the program was exported for batches of ${fixed}, not ${given}`,
    "export it with a dynamic batch size",
  );
}

/** Refuses a run that would leave every parameter as it is. */
function requireUpdate(batches: number, accumulate: number): void {
  if (batches >= accumulate) return;
  throw usageError(
    `there ${batches === 1 ? "is" : "are"} ${plural(batches, "batch", "batches")}, and --accumulate makes one update of ${accumulate}`,
    `--accumulate ${batches} makes one update of all; more --epochs or a smaller --batch make more batches`,
  );
}

/** The sizes that the program leaves open; a program of forward and backward keeps them open. */
function shapesOf(program: Program, examples: DataSet, size: number): Pick<TrainerOptions, "shapes"> {
  if (program.outputs.some(isGradient)) return {};
  const shapes = examples.shapes(size);
  const open = inputsOf(program).flatMap(({ name, type }, i) =>
    type.kind === "tensor" && type.shape.some((each) => typeof each === "string") ? [[name, shapes[i]!] as const] : [],
  );
  return { shapes: Object.fromEntries(open) };
}

function trainedBy(options: Options): Pick<TrainerOptions, "train"> {
  const text = options.text("train");
  if (text === undefined) return {};
  try {
    const pattern = new RegExp(text);
    return { train: (name) => pattern.test(name) };
  } catch {
    throw usageError(`--train takes a regular expression, not "${text}"`);
  }
}

async function resumedFrom(options: Options): Promise<Pick<TrainerOptions, "checkpoint">> {
  const path = options.path("resume");
  if (path === undefined) return {};
  const checkpoint = await readFile(path).catch((cause: unknown) => {
    throw usageError(`the checkpoint cannot be read: ${cause instanceof Error ? cause.message : cause}`);
  });
  await openSafetensors(fromBytes(checkpoint)).catch((problem: Pt2Error) => {
    throw cliError("cli.usage", {
      what: `${path} is not a checkpoint: ${problem.what}`,
      advice: "--resume takes the .safetensors file that --checkpoint wrote",
      cause: problem,
    });
  });
  return { checkpoint };
}

interface Passes {
  readonly epochs: number;
  readonly size: number;
  readonly perEpoch: number;
  readonly seed: Seed;
}

/** Trains, and prints the mean loss of each epoch as soon as it is known. */
async function trainEpochs(
  trainer: Trainer,
  examples: DataSet,
  { epochs, size, perEpoch, seed }: Passes,
  terminal: Terminal,
): Promise<readonly number[]> {
  const bar = new ProgressBar(terminal);
  const losses: number[] = [];
  try {
    for (let epoch = 1; epoch <= epochs; epoch++) {
      let [sum, done] = [0, 0];
      for await (const { loss } of trainer.fit(examples.batches(size, BigInt(seed) + BigInt(epoch)))) {
        sum += loss;
        bar.draw(`epoch ${epoch} of ${epochs}`, ++done, perEpoch, `loss ${(sum / done).toFixed(4)}`);
      }
      losses.push(sum / done);
      bar.end();
      terminal.err(`epoch ${epoch} of ${epochs}: loss ${(sum / done).toFixed(4)}\n`);
    }
    return losses;
  } finally {
    bar.end();
  }
}
