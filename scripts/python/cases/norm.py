"""Normalizations, and dropout, which is the identity in evaluation."""
import torch

from opcase import bf16, case, f16, f64, i64, t, v

x4, chan = (2, 3, 5, 7), (3,)


def stats(n: int, dtype=None):
    kw = {"dtype": dtype} if dtype else {}
    return t(n, **kw), t(n, lo=0.3, hi=3, **kw)


for op, tail in (("batch_norm", (False, 0.1, 1e-5, True)), ("_native_batch_norm_legit_no_training", (0.1, 1e-5))):
    case(op, "4-d", t(*x4), t(3), t(3), *stats(3), *tail)
    case(op, "2-d", t(5, 7), t(7), t(7), *stats(7), *tail)
    case(op, "3-d", t(2, 3, 11), t(3), t(3), *stats(3), *tail)
    case(op, "no weight, no bias", t(*x4), None, None, *stats(3), *tail)
    case(op, "channels-last strides", t(2, 5, 7, 3).permute(0, 3, 1, 2), t(3), t(3), *stats(3), *tail)
    case(op, "float64", t(2, 3, 5, dtype=f64), t(3, dtype=f64), t(3, dtype=f64), *stats(3, f64), *tail)
    case(op, "bfloat16", t(2, 3, 5, dtype=bf16), t(3, dtype=bf16), t(3, dtype=bf16), *stats(3, bf16), *tail)
case("_native_batch_norm_legit_no_training", "large eps", t(*x4), t(3), t(3), *stats(3), 0.1, 0.5)
case("batch_norm", "training updates nothing without statistics", t(*x4), t(3), t(3), None, None, True, 0.1, 1e-5, False)
case("_native_batch_norm_legit", "evaluation", t(*x4), t(3), t(3), *stats(3), False, 0.1, 1e-5)
case("_native_batch_norm_legit", "training writes the statistics", t(*x4), t(3), t(3), *stats(3), True, 0.1, 1e-5)
case("_native_batch_norm_legit.no_stats", "instance norm shape", t(1, 6, 5, 7), t(6), t(6), True, 0.0, 1e-5)
case("_native_batch_norm_legit.no_stats", "no weight", t(2, 3, 5), None, None, True, 0.1, 1e-3)
case("native_batch_norm", "evaluation", t(*x4), t(3), t(3), *stats(3), False, 0.1, 1e-5)
case("native_batch_norm", "training writes the statistics", t(*x4), t(3), None, *stats(3), True, 0.3, 1e-5)
case("native_batch_norm", "training, halves", t(2, 3, 5, dtype=f16), t(3, dtype=f16), None, None, None, True, 0.3, 1e-5)
case("_native_batch_norm_legit_functional", "training, half statistics", t(2, 3, 5, dtype=bf16), None, None, *(x.bfloat16() for x in stats(3)), True, 0.1, 1e-5)
case("_native_batch_norm_legit_functional", "training, half input, float parameters", t(2, 3, 5, dtype=f16), t(3), t(3), *stats(3), True, 0.1, 1e-5)
case("_native_batch_norm_legit_functional", "training", t(*x4), t(3), t(3), *stats(3), True, 0.1, 1e-5)
case("instance_norm", "affine", t(2, 3, 5, 7), t(3), t(3), None, None, True, 0.1, 1e-5, True)
case("instance_norm", "running statistics", t(2, 3, 5), None, None, *stats(3), False, 0.1, 1e-5, True)

for op in ("layer_norm", "native_layer_norm"):
    tail = (1e-5,)
    case(op, "last dim", t(2, 3, 7), [7], t(7), t(7), *tail)
    case(op, "two dims", t(2, 3, 5, 7), [5, 7], t(5, 7), t(5, 7), *tail)
    case(op, "no weight, bias", t(3, 7), [7], None, t(7), *tail)
    case(op, "weight, no bias", t(3, 7), [7], t(7), None, *tail)
    case(op, "neither", t(3, 7), [7], None, None, 1e-3)
    case(op, "permuted", t(2, 7, 5, 3).permute(0, 2, 3, 1), [7], t(7), t(7), *tail)
    case(op, "large mean", t(3, 37, lo=100, hi=101), [37], t(37), t(37), *tail, rtol=1e-3, atol=1e-3, why="cancellation of the mean")
    case(op, "constant row", t(3, 1).expand(3, 7), [7], t(7), t(7), *tail)
    case(op, "float16", t(3, 11, dtype=f16), [11], t(11, dtype=f16), t(11, dtype=f16), *tail)
    case(op, "bfloat16", t(3, 11, dtype=bf16), [11], t(11, dtype=bf16), t(11, dtype=bf16), *tail)
    case(op, "empty", t(0, 7), [7], t(7), t(7), *tail)

case("group_norm", "two groups", t(2, 6, 3, 5), 2, t(6), t(6))
case("group_norm", "one group", t(2, 3, 5, 7), 1, t(3), t(3), 1e-3)
case("group_norm", "no weight", t(2, 6, 7), 3)
case("group_norm", "no spatial dims", t(5, 6), 2, t(6), t(6))
case("group_norm", "permuted", t(2, 5, 7, 6).permute(0, 3, 1, 2), 3, t(6), t(6))
case("native_group_norm", "two groups", t(2, 6, 3, 5), t(6), t(6), 2, 6, 15, 2, 1e-5)
case("native_group_norm", "a group per channel", t(2, 3, 7), t(3), t(3), 2, 3, 7, 3, 1e-5)
case("native_group_norm", "no weight", t(2, 6, 7), None, None, 2, 6, 7, 2, 1e-3)
case("native_group_norm", "float16", t(1, 4, 5, dtype=f16), t(4, dtype=f16), t(4, dtype=f16), 1, 4, 5, 2, 1e-5)
case("rms_norm", "weight", t(2, 3, 7), [7], t(7), 1e-6)
case("rms_norm", "default eps", t(3, 7), [7], t(7))
case("rms_norm", "bfloat16, default eps", t(3, 11, dtype=bf16, lo=-0.01, hi=0.01), [11], t(11, dtype=bf16))
case("rms_norm", "float16, default eps", t(3, 11, dtype=f16, lo=-0.01, hi=0.01), [11])
case("_fused_rms_norm", "bfloat16, default eps", t(3, 11, dtype=bf16, lo=-0.01, hi=0.01), [11], t(11, dtype=bf16), None)
case("rms_norm", "no weight, two dims", t(2, 3, 5), [3, 5], None, 1e-3)
case("rms_norm", "bfloat16", t(3, 11, dtype=bf16), [11], t(11, dtype=bf16), 1e-6)
case("_fused_rms_norm", "weight", t(2, 3, 7), [7], t(7), 1e-6)

case("native_layer_norm_backward", "all gradients", t(2, 3, 7), t(2, 3, 7), [7], t(2, 3, 1), t(2, 3, 1, lo=0.3), t(7), t(7), [True, True, True])
case("native_layer_norm_backward", "no weight", t(3, 7), t(3, 7), [7], t(3, 1), t(3, 1, lo=0.3), None, None, [True, False, False])
case("native_group_norm_backward", "all gradients", t(2, 6, 5), t(2, 6, 5), t(2, 2), t(2, 2, lo=0.3), t(6), 2, 6, 5, 2, [True, True, True])
case("native_group_norm_backward", "no weight", t(2, 6, 5), t(2, 6, 5), t(2, 2), t(2, 2, lo=0.3), None, 2, 6, 5, 2, [True, False, False])
case("native_batch_norm_backward", "evaluation", t(*x4), t(*x4), t(3), *stats(3), t(3), t(3, lo=0.3), False, 1e-5, [True, True, True])

case("cosine_similarity", "dim 1", t(3, 7), t(3, 7))
case("cosine_similarity", "broadcast, last", t(2, 3, 5), t(3, 5), -1)
case("_weight_norm", "dim 0", t(3, 5), t(3, 1))
case("renorm", "rows", t(3, 5), 2, 0, 1.0)

case("dropout", "evaluation", t(2, 3), 0.5, False)
case("dropout", "p 0 in training", t(2, 3), 0.0, True)
case("dropout", "training", t(2, 3), 0.5, True, meta_only=True)
case("feature_dropout", "evaluation", t(2, 3, 5), 0.5, False)
case("alpha_dropout", "evaluation", t(2, 3), 0.5, False)
case("native_dropout", "evaluation", t(2, 3), 0.5, False)
case("native_dropout", "training", t(2, 3), 0.5, True, meta_only=True)
case("_native_batch_norm_legit", "training, no weight", t(2, 3, 7), None, None, *stats(3), True, 0.5, 1e-3)
case("_native_batch_norm_legit.no_stats", "permuted", t(2, 5, 7, 3).permute(0, 3, 1, 2), t(3), t(3), True, 0.1, 1e-5)
case("native_dropout", "evaluation, float16", t(5, dtype=f16), 0.5, False)
case("native_group_norm_backward", "only the bias", t(1, 4, 3), t(1, 4, 3), t(1, 2), t(1, 2, lo=0.3), t(4), 1, 4, 3, 2, [False, False, True])
case("native_layer_norm_backward", "two dims", t(2, 3, 5), t(2, 3, 5), [3, 5], t(2, 1, 1), t(2, 1, 1, lo=0.3), t(3, 5), t(3, 5), [True, True, True])

case("_weight_norm", "last dim", t(3, 5), t(1, 5), 1)
case("_weight_norm_interface", "4-d", t(3, 2, 5, 2), t(3, 1, 1, 1), 0)
case("norm_except_dim", "everything", t(2, 3, 5), 2, -1)
case("norm_except_dim", "p 1", t(2, 3, 5), 1, 1)
case("embedding_renorm", "only rows that are looked up", t(5, 3, lo=1), v([0, 3], [3, 1], dtype=i64), 1.5, 2.0)
case("batch_norm", "of nothing, without channels", t(0), None, None, None, None, True, 0.1, 1e-5, False)
case("batch_norm", "of nothing, evaluation", t(0, 3), t(3), t(3), *stats(3), False, 0.1, 1e-5, False)
for name, shape, dim in (("rows", (5, 3, 2), 0), ("the last dimension", (4, 7), 1)):
    weights = t(*shape)
    norms = torch.linalg.vector_norm(weights, dim=[d for d in range(len(shape)) if d != dim], keepdim=True)
    case("_weight_norm_interface_backward", name, t(*shape), weights, t(*norms.shape), norms, dim)

# Narrow numbers with parameters of float32, as under autocast: gradients have the dtypes of what they are of.
narrow = (t(2, 6, 5, dtype=bf16), t(2, 6, 5, dtype=bf16))
mixed = [True, True, True]
case("native_layer_norm_backward", "parameters of float32", *narrow, [5], t(2, 6, 1), t(2, 6, 1, lo=0.3), t(5), t(5), [True, False, False])
case("native_group_norm_backward", "parameters of float32", *narrow, t(2, 2), t(2, 2, lo=0.3), t(6), 2, 6, 5, 2, mixed)
case("native_batch_norm_backward", "parameters of float32", *narrow, t(6), *stats(6), t(6), t(6, lo=0.3), True, 1e-5, mixed)
case("native_batch_norm_backward", "parameters of float32, evaluation", *narrow, t(6), *stats(6), None, None, False, 1e-5, mixed)
