export type * from "./ir.ts";
export type * from "./sym/expr.ts";
