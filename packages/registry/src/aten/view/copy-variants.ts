import { splitOpName } from "@pt2/graph";
import type { OpRecord } from "../../op.ts";
import type { OpSchema } from "../../schema/types.ts";

/** The views that also have a `*_copy` variant in PyTorch, which functionalization uses. */
const VIEWS_WITH_COPY: ReadonlySet<string> = new Set([
  "aten::alias",
  "aten::as_strided",
  "aten::_reshape_alias",
  "aten::diagonal",
  "aten::expand",
  "aten::permute",
  "aten::select.int",
  "aten::slice.Tensor",
  "aten::squeeze",
  "aten::squeeze.dim",
  "aten::squeeze.dims",
  "aten::t",
  "aten::transpose.int",
  "aten::unfold",
  "aten::unsqueeze",
  "aten::view",
  "aten::narrow",
]);

/**
 * Makes `aten::view_copy` from `aten::view`, and so on. Nothing writes to a lowered tensor, so the result may stay a
 * view.
 */
export function copyVariants(views: readonly OpRecord[]): readonly OpRecord[] {
  return views
    .filter(({ name }) => VIEWS_WITH_COPY.has(name))
    .map((record) => {
      const { namespace, op, overload } = splitOpName(record.name);
      const name = `${namespace}::${op}_copy${overload === "" ? "" : `.${overload}`}`;
      return { ...record, name, schema: withoutAliases(name, record.schema) };
    });
}

function withoutAliases(name: string, { args, returns }: OpSchema): OpSchema {
  const plain = <T>(item: T): T => ({ ...item, alias: null });
  return { name, args: args.map(plain), returns: returns.map(plain) };
}
