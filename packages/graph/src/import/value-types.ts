import type { Graph as FileGraph, SymBool, SymFloat, SymInt } from "@pt2/format";
import { graphError } from "../graph-errors.ts";
import type { ValueType } from "../ir.ts";
import { toSymBool, toSymFloat, toSymInt } from "../sym/make-expr.ts";
import { parseSym } from "../sym/parse-expr.ts";
import type { SymInt as Size, SymExpr } from "../sym/sym-expr.ts";

/** Looks up the types that a file's graph records for its values. */
export class ValueTypes {
  readonly #graph: FileGraph;
  readonly #where: string;
  /** Cached, because the same few expressions recur in hundreds of shapes and strides. */
  readonly #parsed: Map<string, SymExpr>;

  constructor(graph: FileGraph, where: string, parsed: Map<string, SymExpr>) {
    this.#graph = graph;
    this.#where = where;
    this.#parsed = parsed;
  }

  /** Returns undefined where the file records nothing. */
  get(name: string): ValueType | undefined {
    const { tensorValues, symIntValues, symFloatValues, symBoolValues, customObjValues } = this.#graph;
    const tensor = tensorValues.get(name);
    if (tensor !== undefined) {
      return {
        kind: "tensor",
        dtype: tensor.dtype,
        shape: tensor.sizes.map((size) => this.#int(size, name)),
        strides: tensor.strides.map((stride) => this.#int(stride, name)),
        storageOffset: this.#int(tensor.storageOffset, name),
        device: { type: tensor.device.type, index: tensor.device.index },
        requiresGrad: tensor.requiresGrad,
      };
    }
    const int = symIntValues.get(name);
    if (int !== undefined) return { kind: "symint", value: this.#int(int, name) };
    const float = symFloatValues.get(name);
    if (float !== undefined) return { kind: "symfloat", value: this.#float(float, name) };
    const bool = symBoolValues.get(name);
    if (bool !== undefined) return { kind: "symbool", value: this.#bool(bool, name) };
    const object = customObjValues.get(name);
    return object === undefined ? undefined : { kind: "object", className: object.classFqn };
  }

  #int(value: SymInt, name: string): Size {
    return value.kind === "as_int" ? value.value : toSymInt(this.#parse(value.exprStr, name));
  }

  #float(value: SymFloat, name: string): number | SymExpr {
    return value.kind === "as_float" ? value.value : toSymFloat(this.#parse(value.exprStr, name));
  }

  #bool(value: SymBool, name: string): boolean | SymExpr {
    return value.kind === "as_bool" ? value.value : toSymBool(this.#parse(value.exprStr, name));
  }

  #parse(text: string, name: string): SymExpr {
    const known = this.#parsed.get(text);
    if (known !== undefined) return known;
    try {
      const expr = parseSym(text);
      this.#parsed.set(text, expr);
      return expr;
    } catch (cause) {
      throw graphError("graph.import", {
        what: `The size expression ${JSON.stringify(text)} cannot be read`,
        where: `value \`${name}\` of ${this.#where}`,
        advice: "report the program: every expression that PyTorch writes should be readable",
        cause,
      });
    }
  }
}
