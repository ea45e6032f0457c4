export { FOREACH_OPS as foreachOps } from "../foreach/foreach.ts";
