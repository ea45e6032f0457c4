import type { TensorMeta } from "@pt2/registry";
import { type KernelCall, type WasmKernel, wasmKernel } from "../../engine/kernel.ts";
import { partScratch } from "../../engine/part-scratch.ts";
import { addressOf, type TensorView } from "../../engine/tensor-view.ts";
import { eachWhole, type Part } from "../../threads/team.ts";
import { float32Result, isFloat32 } from "../float32.ts";
import { NANOSECONDS_EACH_PRODUCT } from "../matmul/gemm.ts";
import type { AttentionKernels } from "./half-keys.ts";
import { headsOf, mergedHeads, type SharedHeads } from "./heads.ts";

/** Mask kinds of the kernel, see assembly/attention.ts. */
const MASK = { none: 0, added: 1, boolean: 2 } as const;

/** The most queries that read keys and values where they lie, see assembly/attention.ts. */
const FEW_ROWS = 8;

/** `scaled_dot_product_attention` of [..., L, E] queries, head by head, scores never leaving the cache. */
export const attention: WasmKernel = wasmKernel({
  ops: ["aten::scaled_dot_product_attention", "pt2::attention_half"],
  accepts: ({ query, key, value, dropout_p = 0 }) => isFloat32(query, key, value) && dropout_p === 0,
  async prepare(call, args) {
    const floats = (given: TensorView): TensorView => rows(call, call.convert(given, "float32"));
    const [q, key, value] = [floats(call.tensor(args.query)), call.tensor(args.key), call.tensor(args.value)];
    const sharing = args.enable_gqa ? q.shape.at(-3)! / key.shape.at(-3)! : 1;
    const causal = args.is_causal;
    const merges = sharing > 1 && q.shape.at(-2) === 1 && !causal;
    const queries = merges ? sharing : q.shape.at(-2)!;
    const readsHalves = queries <= FEW_ROWS && key.dtype === value.dtype && key.dtype !== "float32";
    const keys = readsHalves ? await (await import("./half-keys.ts")).halfKeys(call, queries, key) : call.kernels;
    const [k, v] = [key, value].map(readsHalves ? (given) => rows(call, given) : floats) as [TensorView, TensorView];
    const masked = maskOf(call, args.attn_mask);
    float32Result(call, (out) => {
      if (out.shape.some((size) => size === 0)) return;
      const shared = { q, k, v, mask: masked?.view ?? null, out, sharing };
      planHeads(call, merges ? mergedHeads(shared) : shared, {
        keys,
        keyBytes: readsHalves ? 2 : 4,
        maskKind: masked?.kind ?? MASK.none,
        causal,
        scale: args.scale ?? 1 / Math.sqrt(q.shape.at(-1)!),
      });
    });
  },
});

/** How keys are read, and how scores become weights. */
interface Weighting {
  readonly keys: AttentionKernels;
  /** Of an element of keys and values. */
  readonly keyBytes: 2 | 4;
  readonly maskKind: number;
  readonly causal: boolean;
  readonly scale: number;
}

function planHeads(call: KernelCall, shared: SharedHeads, weighting: Weighting): void {
  const { keys, keyBytes, maskKind, causal, scale } = weighting;
  const { q, k, v, mask, out } = shared;
  const [L, E] = q.shape.slice(-2) as [number, number];
  const [S, Ev] = [k.shape.at(-2)!, v.shape.at(-1)!];
  const heads = headsOf(shared);
  const step = (view: TensorView): number => view.strides.at(-2)!;
  const [maskRow, maskColumn] = mask === null ? [0, 0] : broadcastStep(mask);
  const maskSize = maskKind === MASK.boolean ? 1 : 4;
  const nanoseconds = heads.length * L * S * ((E + Ev) * NANOSECONDS_EACH_PRODUCT + NANOSECONDS_EACH_SCORE);
  const block = call.kernels.attentionBlock(L, S);
  const blocks = Math.ceil(L / block);
  // Who computes blocks of a head packs its keys and values, so heads are divided only where threads would wait.
  const unit = heads.length % call.team.threads === 0 ? blocks : 1;
  const parts = call.team.parts({ items: heads.length * blocks, unit, nanoseconds });
  const scratchOf = partScratch(call, parts, keys.attentionScratch(L, S, E, Ev) >>> 0);
  const compute = (part: Part): void => {
    const [qAt, kAt, vAt, outAt] = [addressOf(q), addressOf(k), addressOf(v), addressOf(out)];
    const maskAt = mask === null ? 0 : addressOf(mask);
    eachWhole(part, blocks, (index, firstBlock, count) => {
      const [head, first] = [heads[index]!, firstBlock * block];
      keys.attention(
        qAt + head.q * 4,
        step(q),
        kAt + head.k * keyBytes,
        step(k),
        vAt + head.v * keyBytes,
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
