import type { KernelArgs, KernelOp } from "@pt2/engine";
import type { DType } from "@pt2/format";
import type { ArgValue, TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "./kernel.ts";
import { type KernelFunction, kernelFunction, kernelModule } from "./kernel-module.ts";
import { addressOf, type TensorView } from "./tensor-view.ts";

/**
 * A call of a function of the module: its name and its arguments. A tensor stands for the address of its first element,
 * a number for itself, a bigint for an `i64`.
 */
export type ModuleCall = readonly [name: string, ...args: (TensorMeta | number | bigint)[]];

/** Makes a tensor in memory that only this call of the op uses; its elements are whatever was there before. */
export type Temporary = (dtype: DType, shape: readonly number[]) => TensorMeta;

/**
 * Says which functions of the module compute an op, in their order. It sees shapes and dtypes, no data, and has no
 * effects: it is asked once for each combination of arguments, on the calling thread.
 */
export type ModuleCalls<Args> = (
  args: Args,
  results: readonly [TensorMeta, ...TensorMeta[]],
  temporary: Temporary,
) => readonly ModuleCall[];

/** A kernel whose work is done by a WebAssembly module of its own, so that it runs in the worker too. */
export interface ModuleKernel extends WasmKernel {
  readonly module: Uint8Array;
  readonly calls: ModuleCalls<Readonly<Record<string, ArgValue>>>;
}

/** A kernel of a module as it is written: the schemas of its ops give the types of its arguments. */
export interface TypedModuleKernel<Op extends KernelOp> {
  readonly ops: readonly Op[];
  /**
   * The module as bytes. It imports `env.memory`, in which the tensors of the model lie, and nothing else, and keeps
   * nothing there: it has no data segments, no start function, and no mutable globals.
   */
  readonly module: Uint8Array;
  /** Whether it takes these arguments; otherwise the op is decomposed. Default: yes. */
  accepts?(args: KernelArgs<Op>): boolean;
  /** Tensors are dense and row-major; results are flattened where the op returns a list. */
  calls: ModuleCalls<KernelArgs<Op>>;
}

/** Makes a kernel of a WebAssembly module. A misspelled op or argument does not compile. */
// @__NO_SIDE_EFFECTS__
export function moduleKernel<const Op extends KernelOp>(kernel: TypedModuleKernel<Op>): ModuleKernel {
  const made = (wasmKernel as unknown as (kernel: object) => ModuleKernel)(kernel);
  return { ...made, prepare: (call, args) => planCalls(call, args, made) };
}

function planCalls(
  call: KernelCall,
  args: Readonly<Record<string, ArgValue>>,
  { module, calls }: Pick<ModuleKernel, "module" | "calls">,
): void {
  const modules = call.state(newModules);
  const exports = modules.get(module) ?? kernelModule(module, call.heap.memory);
  modules.set(module, exports);

  const views = new Map<TensorMeta, () => TensorView>();
  const visit = (value: ArgValue): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (isMeta(value)) views.set(value, () => call.dense(call.tensor(value)));
  };
  Object.values(args).forEach(visit);
  const results = call.call.results.flatMap((result, index): readonly TensorMeta[] => {
    if (isMeta(result)) {
      views.set(result, () => call.output(index));
      return [result];
    }
    const list = result as readonly TensorMeta[];
    for (const [at, tensor] of list.entries()) views.set(tensor, () => call.outputs(index)[at]!);
    return list;
  });
  const temporary: Temporary = (dtype, shape) => {
    const meta = { dtype, shape };
    const view = call.temporary(dtype, shape);
    views.set(meta, () => view);
    return meta;
  };

  const placed = new Map<TensorMeta, TensorView>();
  const place = (name: string, tensor: TensorMeta): TensorView => {
    const make = views.get(tensor);
    if (make === undefined) {
      throw new Error(`it calls ${name} with a tensor that is neither an argument, nor a result, nor a temporary`);
    }
    const view = placed.get(tensor) ?? make();
    placed.set(tensor, view);
    return view;
  };
  const steps = calls(args, results as [TensorMeta], temporary).map(
    ([name, ...given]): {
      readonly run: KernelFunction;
      readonly given: readonly (TensorView | number | bigint)[];
    } => ({
      run: kernelFunction(exports, name, given.length),
      given: given.map((value) => (isMeta(value) ? place(name, value) : value)),
    }),
  );
  const forgotten = results.findIndex((result) => !placed.has(result));
  if (forgotten >= 0) throw new Error(`no call of its module gets result ${forgotten}`);
  call.step(() => {
    for (const { run, given } of steps) {
      run(...given.map((value) => (typeof value === "object" ? addressOf(value) : value)));
    }
  });
}

/** The modules of a model's kernels, by their bytes. */
const newModules = (): Map<Uint8Array, WebAssembly.Exports> => new Map();

function isMeta(value: unknown): value is TensorMeta {
  return typeof value === "object" && value !== null && "dtype" in value && "shape" in value;
}
