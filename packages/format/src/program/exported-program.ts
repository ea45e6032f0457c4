import type { DType } from "../dtype.ts";

/** An integer of the file, exact: a bigint only beyond ±(2^53 − 1). */
export type Int = number | bigint;

/** A device as the exporting process named it. */
export interface Device {
  readonly type: string;
  readonly index: number | null;
}

/** Memory layouts, named as in PyTorch. */
export type Layout =
  | "unknown"
  | "sparse_coo"
  | "sparse_csr"
  | "sparse_csc"
  | "sparse_bsr"
  | "sparse_bsc"
  | "_mkldnn"
  | "strided";

/** Memory formats, named as in PyTorch. */
export type MemoryFormat = "unknown" | "contiguous_format" | "channels_last" | "channels_last_3d" | "preserve_format";

/** A size: a number, or an expression over symbols in sympy's `srepr` text, with the value seen at export. */
export type SymInt =
  | { readonly kind: "as_int"; readonly value: Int }
  | { readonly kind: "as_expr"; readonly exprStr: string; readonly hint: Int | null };

/** A float, or an expression in `srepr` text. */
export type SymFloat =
  | { readonly kind: "as_float"; readonly value: number }
  | { readonly kind: "as_expr"; readonly exprStr: string; readonly hint: number | null };

/** A boolean, or an expression in `srepr` text. */
export type SymBool =
  | { readonly kind: "as_bool"; readonly value: boolean }
  | { readonly kind: "as_expr"; readonly exprStr: string; readonly hint: boolean | null };

/** A reference to a symbolic integer: a value's name, or a number. */
export type SymIntArgument =
  | { readonly kind: "as_name"; readonly name: string }
  | { readonly kind: "as_int"; readonly value: Int };

/** A reference to a symbolic float: a value's name, or a number. */
export type SymFloatArgument =
  | { readonly kind: "as_name"; readonly name: string }
  | { readonly kind: "as_float"; readonly value: number };

/** A reference to a symbolic boolean: a value's name, or a boolean. */
export type SymBoolArgument =
  | { readonly kind: "as_name"; readonly name: string }
  | { readonly kind: "as_bool"; readonly value: boolean };

/** An argument or result, by the file's own variant names. */
export type Argument =
  | { readonly kind: "as_none" }
  | { readonly kind: "as_tensor"; readonly name: string }
  | { readonly kind: "as_tensors"; readonly names: readonly string[] }
  | { readonly kind: "as_optional_tensor"; readonly name: string | null }
  | { readonly kind: "as_optional_tensors"; readonly names: readonly (string | null)[] }
  | { readonly kind: "as_nested_tensors"; readonly names: readonly (readonly string[])[] }
  | { readonly kind: "as_int"; readonly value: Int }
  | { readonly kind: "as_ints"; readonly values: readonly Int[] }
  | { readonly kind: "as_int_lists"; readonly values: readonly (readonly Int[])[] }
  | { readonly kind: "as_float"; readonly value: number }
  | { readonly kind: "as_floats"; readonly values: readonly number[] }
  | { readonly kind: "as_float_lists"; readonly values: readonly (readonly number[])[] }
  | { readonly kind: "as_complex"; readonly real: number; readonly imag: number }
  | { readonly kind: "as_bool"; readonly value: boolean }
  | { readonly kind: "as_bools"; readonly values: readonly boolean[] }
  | { readonly kind: "as_string"; readonly value: string }
  | { readonly kind: "as_strings"; readonly values: readonly string[] }
  | { readonly kind: "as_sym_int"; readonly value: SymIntArgument }
  | { readonly kind: "as_sym_ints"; readonly values: readonly SymIntArgument[] }
  | { readonly kind: "as_sym_float"; readonly value: SymFloatArgument }
  | { readonly kind: "as_sym_floats"; readonly values: readonly SymFloatArgument[] }
  | { readonly kind: "as_sym_bool"; readonly value: SymBoolArgument }
  | { readonly kind: "as_sym_bools"; readonly values: readonly SymBoolArgument[] }
  | { readonly kind: "as_scalar_type"; readonly dtype: DType }
  | { readonly kind: "as_memory_format"; readonly memoryFormat: MemoryFormat }
  | { readonly kind: "as_layout"; readonly layout: Layout }
  | { readonly kind: "as_device"; readonly device: Device }
  | { readonly kind: "as_graph"; readonly name: string; readonly graph: Graph }
  | { readonly kind: "as_custom_obj"; readonly name: string; readonly classFqn: string }
  | { readonly kind: "as_operator"; readonly target: string }
  | { readonly kind: "as_string_to_argument"; readonly entries: ReadonlyMap<string, Argument> };

/** The variant names of {@link Argument}. */
export type ArgumentKind = Argument["kind"];

/** An argument under its schema name (`""` for positional operands of higher-order ops). */
export interface NamedArgument {
  readonly name: string;
  readonly arg: Argument;
  /** How Python passed it; files before schema 8.7 do not record it. */
  readonly kind: "unknown" | "positional" | "keyword";
}

/** Shape and type of a tensor value. */
export interface TensorMeta {
  readonly dtype: DType;
  readonly sizes: readonly SymInt[];
  /** In elements. */
  readonly strides: readonly SymInt[];
  readonly storageOffset: SymInt;
  readonly requiresGrad: boolean;
  readonly device: Device;
  readonly layout: Layout;
}

/** One module on the path from the root to a node. */
export interface ModuleFrame {
  readonly key: string;
  /** Fully qualified name, `""` for the root. */
  readonly path: string;
  /** Python class. */
  readonly type: string;
}

/** Where a node comes from in the Python source. */
export interface NodeMetadata {
  /** Python traceback text with the author's file names and lines. */
  readonly stackTrace: string | undefined;
  /** From the root module inwards. */
  readonly nnModuleStack: readonly ModuleFrame[];
  /** Every entry, unparsed. */
  readonly raw: ReadonlyMap<string, string>;
}

/** One call in a graph. */
export interface Node {
  /** e.g. `torch.ops.aten.linear.default`, `_operator.add`, `torch.ops.higher_order.cond`. */
  readonly target: string;
  /** The FX name, where the file has it. */
  readonly name: string | null;
  /** Only the arguments that were given: the others have the op schema's defaults. Bind by name, never by position. */
  readonly inputs: readonly NamedArgument[];
  readonly outputs: readonly Argument[];
  readonly metadata: NodeMetadata;
  readonly isHopSingleTensorReturn: boolean | null;
}

/** A custom object value. */
export interface CustomObjMeta {
  readonly name: string;
  readonly classFqn: string;
}

/** A graph with its own name space. Node order is the execution order. */
export interface Graph {
  readonly inputs: readonly Argument[];
  readonly outputs: readonly Argument[];
  readonly nodes: readonly Node[];
  readonly tensorValues: ReadonlyMap<string, TensorMeta>;
  readonly symIntValues: ReadonlyMap<string, SymInt>;
  readonly symFloatValues: ReadonlyMap<string, SymFloat>;
  readonly symBoolValues: ReadonlyMap<string, SymBool>;
  readonly customObjValues: ReadonlyMap<string, CustomObjMeta>;
  readonly isSingleTensorReturn: boolean;
}

/** A value specialized at export. */
export type ConstantValue = Extract<
  Argument,
  { readonly kind: "as_none" | "as_int" | "as_float" | "as_string" | "as_bool" }
>;

/** The role of a graph input. The n-th spec describes `graph.inputs[n]`. */
export type InputSpec =
  | { readonly kind: "user_input"; readonly arg: Argument }
  | { readonly kind: "parameter"; readonly name: string; readonly parameterName: string }
  | { readonly kind: "buffer"; readonly name: string; readonly bufferName: string; readonly persistent: boolean }
  | { readonly kind: "tensor_constant"; readonly name: string; readonly tensorConstantName: string }
  | { readonly kind: "custom_obj"; readonly name: string; readonly classFqn: string; readonly customObjName: string }
  | { readonly kind: "token"; readonly name: string }
  | { readonly kind: "constant_input"; readonly name: string; readonly value: ConstantValue };

/** The role of a graph output. The n-th spec describes `graph.outputs[n]`. */
export type OutputSpec =
  | { readonly kind: "user_output"; readonly arg: Argument }
  | { readonly kind: "loss_output"; readonly name: string }
  | { readonly kind: "buffer_mutation"; readonly name: string; readonly bufferName: string }
  | { readonly kind: "parameter_mutation"; readonly name: string; readonly parameterName: string }
  | { readonly kind: "user_input_mutation"; readonly name: string; readonly userInputName: string }
  | { readonly kind: "gradient_to_parameter"; readonly name: string; readonly parameterName: string }
  | { readonly kind: "gradient_to_user_input"; readonly name: string; readonly userInputName: string }
  | { readonly kind: "token"; readonly name: string };

/**
 * A pytree: a leaf has `type: null`. `context` is decoded from its JSON text where it is one: the keys of a dict, the
 * type name of a namedtuple, `{ default_factory_name, dict_context, … }` of a defaultdict.
 */
export interface TreeSpec {
  readonly type: string | null;
  readonly context: unknown;
  readonly children: readonly TreeSpec[];
}

/** The calling convention of a module in Python. */
export interface ModuleCallSignature {
  readonly inputs: readonly Argument[];
  readonly outputs: readonly Argument[];
  readonly inSpec: TreeSpec;
  readonly outSpec: TreeSpec;
  /** The unparsed specs, which a writer writes. */
  readonly inSpecText: string;
  readonly outSpecText: string;
  readonly forwardArgNames: readonly string[] | null;
}

/** A module of the original hierarchy; the root is first and has fqn `""`. */
export interface ModuleCallEntry {
  readonly fqn: string;
  readonly signature: ModuleCallSignature | null;
}

/** A graph with its calling convention. */
export interface GraphModule {
  readonly graph: Graph;
  readonly inputSpecs: readonly InputSpec[];
  readonly outputSpecs: readonly OutputSpec[];
  readonly moduleCallGraph: readonly ModuleCallEntry[];
  readonly metadata: ReadonlyMap<string, string>;
  /** Field names of namedtuple types, by the type name of the tree spec. */
  readonly namedtupleFields: ReadonlyMap<string, readonly string[]>;
}

/** Bounds of a symbol or expression; null is unbounded. */
export interface RangeConstraint {
  readonly min: Int | null;
  readonly max: Int | null;
}

/** The program that `torch.export.save` wrote. */
export interface ExportedProgram {
  readonly graphModule: GraphModule;
  /** e.g. `aten` → 10; PyTorch writes it and never reads it. */
  readonly opsetVersion: ReadonlyMap<string, number>;
  /** Keys are Python text: a symbol (`s77`) or an expression (`s77 + 1`). */
  readonly rangeConstraints: ReadonlyMap<string, RangeConstraint>;
  /** Python expressions that inputs satisfy. */
  readonly guardsCode: readonly string[];
  readonly schemaVersion: { readonly major: number; readonly minor: number };
  readonly torchVersion: string;
  /** `TRAINING` (default of export), `ATEN` (after decompositions), `EDGE` (ExecuTorch). */
  readonly dialect: string;
  readonly verifiers: readonly string[];
}
