/**
 * A symbolic number: a literal, a symbol, or a call of one of sympy's functions as PyTorch writes them (`Add`, `Mul`,
 * `FloorDiv`, `Mod`, `Max`, `TruncToInt`, …; also the relations and `And`/`Or`/`Not`).
 */
export type SymExpr =
  | { readonly kind: "symbol"; readonly name: string }
  | { readonly kind: "number"; readonly value: number | bigint }
  | { readonly kind: "bool"; readonly value: boolean }
  | { readonly kind: "call"; readonly fn: string; readonly args: readonly SymExpr[] };

/** A size: known, or an expression over symbols. */
export type SymInt = number | bigint | SymExpr;
/** A float that follows from sizes, or is known. */
export type SymFloat = number | SymExpr;
/** A condition on sizes, or its known answer. */
export type SymBool = boolean | SymExpr;
