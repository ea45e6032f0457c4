import type { DType, TreeSpec } from "@pt2/format";
import type { SymBool, SymFloat, SymInt } from "./sym/sym-expr.ts";

/**
 * The name of an operator as in PyTorch's schema strings: `aten::relu`, `aten::add.Tensor`, `higher_order::cond`,
 * `_operator::mul`, `math::trunc`, `torch::sym_max`. The overload `default` is the empty one.
 */
export type OpName = string;

/** The device of a tensor at export; a backend may use another one. */
export interface Device {
  readonly type: string;
  readonly index: number | null;
}

/** The metadata that PyTorch recorded of a tensor value. Sizes and strides count elements and may be symbolic. */
export interface TensorType {
  readonly kind: "tensor";
  readonly dtype: DType;
  readonly shape: readonly SymInt[];
  readonly strides: readonly SymInt[];
  readonly storageOffset: SymInt;
  readonly device: Device;
  readonly requiresGrad: boolean;
}

/** The type of an SSA value; the scalar kinds carry the expression that PyTorch recorded, if any. */
export type ValueType =
  | TensorType
  | { readonly kind: "symint"; readonly value: SymInt | null }
  | { readonly kind: "symfloat"; readonly value: SymFloat | null }
  | { readonly kind: "symbool"; readonly value: SymBool | null }
  | { readonly kind: "object"; readonly className: string };

/** One argument of a node. `value` refers to an SSA value of the same graph by name. */
export type Arg =
  | { readonly kind: "none" }
  | { readonly kind: "value"; readonly name: string }
  | { readonly kind: "int"; readonly value: number | bigint }
  | { readonly kind: "float"; readonly value: number }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "complex"; readonly re: number; readonly im: number }
  | { readonly kind: "dtype"; readonly value: DType }
  | { readonly kind: "device"; readonly value: Device }
  | { readonly kind: "layout"; readonly value: Layout }
  | { readonly kind: "memory_format"; readonly value: MemoryFormat }
  | { readonly kind: "operator"; readonly op: OpName }
  | { readonly kind: "graph"; readonly name: string; readonly graph: Graph }
  | { readonly kind: "list"; readonly items: readonly Arg[] }
  | { readonly kind: "dict"; readonly entries: readonly (readonly [string, Arg])[] };

/** `torch.layout` by name, without the `torch.` prefix. */
export type Layout = "strided" | "sparse_coo" | "sparse_csr" | "sparse_csc" | "sparse_bsr" | "sparse_bsc" | "_mkldnn";

/** `torch.memory_format` by name. */
export type MemoryFormat = "contiguous_format" | "channels_last" | "channels_last_3d" | "preserve_format";

/** An argument with its schema name; higher-order ops use `""` and position. */
export interface NamedArg {
  readonly name: string;
  readonly arg: Arg;
}

/** One return of a node: a new value, a list of new values (`Tensor[]`), or nothing (an undefined optional return). */
export type Output =
  | { readonly kind: "value"; readonly name: string }
  | { readonly kind: "list"; readonly names: readonly string[] }
  | { readonly kind: "none" };

/** Where a node comes from in the Python source, for error messages. */
export interface NodeOrigin {
  /** The innermost module path, such as `layers.0.conv1`; empty for the root module. */
  readonly modulePath?: string;
  /** The class of that module, such as `torch.nn.modules.conv.Conv2d`. */
  readonly moduleClass?: string;
  /** `file.py:41, in forward` of the innermost frame. */
  readonly line?: string;
  /** The source text of that frame, if recorded. */
  readonly code?: string;
  /** The nodes that a backend's pass fused into this one, for profiles. Files and the text form have none. */
  readonly joined?: readonly Pick<Node, "op" | "name">[];
}

/** One operation. Arguments are named by schema; omitted ones have the schema's default. */
export interface Node {
  /** Unique in its graph; the FX name where the file has one. */
  readonly name: string;
  readonly op: OpName;
  readonly args: readonly NamedArg[];
  readonly outputs: readonly Output[];
  readonly origin: NodeOrigin;
  /**
   * The argument that an in-place call wrote to before functionalization: the result has to fit there. Files and the
   * text form have none.
   */
  readonly written?: string;
}

/** An immutable SSA graph. Nodes are in execution order, which is semantic while ops mutate. */
export interface Graph {
  /** Placeholders in order. A constant input has no value and is `null` here. */
  readonly inputs: readonly (string | null)[];
  readonly nodes: readonly Node[];
  /** Returned arguments, which match the signature's outputs 1:1 in the root graph. */
  readonly outputs: readonly Arg[];
  /** The type of every value that this graph defines (nested graphs have their own table). */
  readonly values: ReadonlyMap<string, ValueType>;
}

/** The role of a placeholder of the root graph, 1:1 with `graph.inputs`. */
export type InputSpec =
  | { readonly kind: "user_input"; readonly value: string | null }
  | { readonly kind: "constant_input"; readonly name: string; readonly constant: Arg }
  | { readonly kind: "parameter"; readonly value: string; readonly target: string }
  | { readonly kind: "buffer"; readonly value: string; readonly target: string; readonly persistent: boolean }
  | { readonly kind: "tensor_constant"; readonly value: string; readonly target: string }
  | { readonly kind: "custom_obj"; readonly value: string; readonly target: string }
  | { readonly kind: "token"; readonly value: string };

/**
 * The role of a returned argument of the root graph, 1:1 with `graph.outputs`. The target of a gradient is its input's.
 */
export type OutputSpec =
  | { readonly kind: "user_output" }
  | { readonly kind: "loss_output" }
  | { readonly kind: "token" }
  | { readonly kind: "buffer_mutation"; readonly target: string }
  | { readonly kind: "parameter_mutation"; readonly target: string }
  | { readonly kind: "user_input_mutation"; readonly target: string }
  | { readonly kind: "gradient_to_parameter"; readonly target: string }
  | { readonly kind: "gradient_to_user_input"; readonly target: string };

/** Inclusive bounds of a size; `null` means unbounded. */
export interface SymRange {
  readonly min: number | bigint | null;
  readonly max: number | bigint | null;
}

/** Where an op of an op package comes from, as the file says. */
export interface CustomOp {
  /** The schema that the op had, as PyTorch writes it. */
  readonly schema: string;
  /** The npm package, or the name of the op set. */
  readonly package: string;
  /** The version of the package; null where it states none. */
  readonly version: string | null;
}

/** A whole exported program without its weights. */
export interface Program {
  readonly graph: Graph;
  readonly inputs: readonly InputSpec[];
  readonly outputs: readonly OutputSpec[];
  /** Ranges of symbols (`s77`) or expressions (`s77 + 1`), as PyTorch writes them. */
  readonly ranges: ReadonlyMap<string, SymRange>;
  /** The pytrees of `(args, kwargs)` and of the return value. `null` when the file has none. */
  readonly inSpec: TreeSpec | null;
  readonly outSpec: TreeSpec | null;
  /** Field names of each named tuple type in the specs. */
  readonly namedTuples: ReadonlyMap<string, readonly string[]>;
  /** Names of `forward`'s parameters, in order. */
  readonly forwardArgs: readonly string[];
  /** `"TRAINING"`, `"ATEN"`, `"EDGE"` or another dialect of the file. */
  readonly dialect: string;
  readonly torchVersion: string;
  /** Ops that are not PyTorch's, where it is known which package has them. */
  readonly customOps?: ReadonlyMap<OpName, CustomOp>;
}
