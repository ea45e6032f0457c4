import { DTYPES, type DType } from "@pt2/format";
import type { Arg, Node, TensorType, ValueType } from "../../ir.ts";
import { splitOpName } from "../../op-name.ts";
import { argOf, visitArg } from "../../query/node-values.ts";

const COMPARISONS = /^(eq|ne|lt|le|gt|ge|less|greater|less_equal|greater_equal|not_equal|logical_(and|or|xor|not))_?$/;
/** Arguments that select elements and do not affect the result's dtype. */
const SELECTORS: ReadonlySet<string> = new Set(["mask", "index", "indices", "condition", "generator"]);
/** Arguments whose numbers affect the dtype, unlike factors, thresholds, probabilities and dimensions. */
const OPERANDS: ReadonlySet<string> = new Set(["other", "exponent", "min", "max"]);
/** Operators whose result has the dtype of the written tensor, whatever the other arguments are. */
const KEEPS =
  /^(copy(?!sign)|fill|zero|normal|uniform|bernoulli|random|exponential|geometric|cauchy|log_normal|scatter|index_|masked_|put|_index)/;

const RANK = { bool: 0, uint: 1, int: 1, float: 2, complex: 3 } as const;
type Category = 0 | 1 | 2 | 3;

/** Sums and products of integers are int64, unless `dtype` is given. */
const ACCUMULATES = /^(cumsum|cumprod)_$/;

/** Returns the dtype that the functional variant of an in-place node computes, before the cast to `self`. */
export function computedDtype(node: Node, self: TensorType, typeOf: (name: string) => ValueType | undefined): DType {
  const { op } = splitOpName(node.op);
  if (COMPARISONS.test(op)) return "bool";
  if (KEEPS.test(op)) return self.dtype;
  if (ACCUMULATES.test(op)) {
    const dtype = argOf(node, "dtype");
    return dtype?.kind === "dtype" ? dtype.value : category(self.dtype) < 2 ? "int64" : self.dtype;
  }
  const tensors: TensorType[] = [self];
  let scalar: Category = 0;
  for (const { name, arg } of node.args) {
    if (SELECTORS.has(name)) continue;
    visitArg(arg, (leaf) => {
      const type = leaf.kind === "value" ? typeOf(leaf.name) : undefined;
      if (type?.kind === "tensor") tensors.push(type);
      else if (OPERANDS.has(name)) scalar = Math.max(scalar, scalarCategory(leaf, type)) as Category;
    });
  }
  // Tensors with dimensions determine the dtype; 0-dim tensors and numbers only raise the category.
  const dimensioned = tensors.filter(({ shape }) => shape.length > 0).map(({ dtype }) => dtype);
  const zeroDim = tensors.filter(({ shape }) => shape.length === 0).map(({ dtype }) => dtype);
  const strongest = [dimensioned, zeroDim].filter((group) => group.length > 0).map((group) => group.reduce(promote));
  const tensorDtype = strongest.reduce((a, b) => (category(b) > category(a) ? b : a));
  return scalar > category(tensorDtype)
    ? ((["bool", "int64", "float32", "complex64"] as const)[scalar] ?? self.dtype)
    : tensorDtype;
}

function category(dtype: DType): Category {
  return RANK[DTYPES[dtype].kind];
}

function scalarCategory(leaf: Arg, type: ValueType | undefined): Category {
  if (leaf.kind === "float" || type?.kind === "symfloat") return 2;
  if (leaf.kind === "int" || type?.kind === "symint") return 1;
  return leaf.kind === "complex" ? 3 : 0;
}

/** Promotes two tensor dtypes as PyTorch does. */
function promote(a: DType, b: DType): DType {
  if (a === b) return a;
  if (category(a) !== category(b)) {
    const [strong, weak] = category(a) > category(b) ? [a, b] : [b, a];
    // The complex dtype whose real part is as wide as the float.
    const widens =
      category(strong) === 3 && category(weak) === 2 && DTYPES[weak].itemsize * 2 > DTYPES[strong].itemsize;
    return widens ? (DTYPES[weak].itemsize === 8 ? "complex128" : "complex64") : strong;
  }
  const [x, y] = [DTYPES[a], DTYPES[b]];
  if (category(a) === 2 && x.itemsize === y.itemsize) return "float32";
  if (x.kind === y.kind || category(a) !== 1) return x.itemsize > y.itemsize ? a : b;
  const [signed, unsigned] = x.kind === "int" ? [a, b] : [b, a];
  if (DTYPES[signed].itemsize > DTYPES[unsigned].itemsize) return signed;
  return ({ 1: "int16", 2: "int32" } as const)[DTYPES[unsigned].itemsize as 1 | 2] ?? "int64";
}
