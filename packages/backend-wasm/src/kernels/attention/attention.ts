import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { eachWhole, type Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { NANOSECONDS_EACH_PRODUCT } from "../matmul/gemm.ts";
import { headsOf, mergedHeads, type SharedHeads } from "./heads.ts";

/** Mask kinds of the kernel, see assembly/attention.ts. */
const MASK = { none: 0, added: 1, boolean: 2 } as const;

/** `scaled_dot_product_attention` of [..., L, E] queries, head by head, scores never leaving the cache. */
export const attention: WasmKernel = wasmKernel({
  ops: ["aten::scaled_dot_product_attention"],
  accepts: ({ query, key, value, dropout_p }) => isFloat32(query, key, value) && dropout_p === 0,
  prepare(call, args) {
    const matrix = (given: TensorMeta): TensorView => rows(call, call.convert(call.tensor(given), "float32"));
    const [q, k, v] = [matrix(args.query), matrix(args.key), matrix(args.value)];
    const sharing = args.enable_gqa ? q.shape.at(-3)! / k.shape.at(-3)! : 1;
    const masked = maskOf(call, args.attn_mask);
    const causal = args.is_causal;
    float32Result(call, (out) => {
      if (out.shape.some((size) => size === 0)) return;
      const shared = { q, k, v, mask: masked?.view ?? null, out, sharing };
      planHeads(call, sharing > 1 && q.shape.at(-2) === 1 && !causal ? mergedHeads(shared) : shared, {
        maskKind: masked?.kind ?? MASK.none,
        causal,
        scale: args.scale ?? 1 / Math.sqrt(q.shape.at(-1)!),
      });
    });
  },
});

/** How scores become weights. */
interface Weighting {
  readonly maskKind: number;
  readonly causal: boolean;
  readonly scale: number;
}

function planHeads(call: KernelCall, shared: SharedHeads, { maskKind, causal, scale }: Weighting): void {
  const { q, k, v, mask, out } = shared;
  const [L, E] = q.shape.slice(-2) as [number, number];
  const [S, Ev] = [k.shape.at(-2)!, v.shape.at(-1)!];
  const heads = headsOf(shared);
  const step = (view: TensorView): number => view.strides.at(-2)!;
  const [maskRow, maskColumn] = mask === null ? [0, 0] : broadcastStep(mask);
  const maskSize = maskKind === MASK.boolean ? 1 : 4;
  const { kernels } = call;
  const nanoseconds = heads.length * L * S * ((E + Ev) * NANOSECONDS_EACH_PRODUCT + NANOSECONDS_EACH_SCORE);
  const block = kernels.attentionBlock(L, S);
  const blocks = Math.ceil(L / block);
  // Who computes blocks of a head packs its keys and values, so heads are divided only where threads would wait.
  const unit = heads.length % call.team.threads === 0 ? blocks : 1;
  const parts = call.team.parts({ items: heads.length * blocks, unit, nanoseconds });
  const scratchOf = partScratch(call, parts, kernels.attentionScratch(L, S, E, Ev) >>> 0);
  const compute = (part: Part): void => {
    const [qAt, kAt, vAt, outAt] = [addressOf(q), addressOf(k), addressOf(v), addressOf(out)];
    const maskAt = mask === null ? 0 : addressOf(mask);
    eachWhole(part, blocks, (index, firstBlock, count) => {
      const [head, first] = [heads[index]!, firstBlock * block];
      kernels.attention(
        qAt + head.q * 4,
        step(q),
        kAt + head.k * 4,
        step(k),
        vAt + head.v * 4,
        step(v),
        outAt + head.out * 4,
        step(out),
        L,
        S,
        E,
        Ev,
        first,
        Math.min(L - first, count * block),
        scale,
        mask === null ? 0 : maskAt + head.mask * maskSize,
        maskKind,
        maskRow,
        maskColumn,
        causal ? 1 : 0,
        scratchOf(part),
      );
    });
  };
  call.step(call.team.step(parts, compute));
}

/** Of a softmax, for each score. */
const NANOSECONDS_EACH_SCORE = 1;

/** The kernel wants contiguous rows; everything above them may be strided. */
function rows(call: KernelCall, view: TensorView): TensorView {
  return view.strides.at(-1) === 1 || view.shape.at(-1) === 1 ? view : call.dense(view);
}

function maskOf(
  call: KernelCall,
  given: TensorMeta | null,
): { readonly view: TensorView; readonly kind: number } | null {
  const mask = call.optional(given);
  if (mask === null) return null;
  return mask.dtype === "bool"
    ? { view: mask, kind: MASK.boolean }
    : { view: call.convert(mask, "float32"), kind: MASK.added };
}

function broadcastStep({ shape, strides }: TensorView): readonly [number, number] {
  const step = (d: number): number => (shape.at(d) === 1 ? 0 : (strides.at(d) ?? 0));
  return [step(-2), step(-1)];
}
