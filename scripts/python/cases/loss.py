"""Losses. Reduction: 0 none, 1 mean, 2 sum."""
import torch

from opcase import bf16, case, f32, f64, i64, inf, ints, name_of, nan, s, t, v

for reduction, word in enumerate(("none", "mean", "sum")):
    for op in ("mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "soft_margin_loss"):
        case(op, word, t(2, 3, 5), t(2, 3, 5), reduction)
    case("binary_cross_entropy", word, t(2, 5, lo=0.05, hi=0.95), t(2, 5, lo=0, hi=1), t(5, lo=0.5), reduction)
    case("binary_cross_entropy_with_logits", word, t(2, 5, lo=-9, hi=9), t(2, 5, lo=0, hi=1), t(5, lo=0.5), t(5, lo=0.5), reduction)
    case("kl_div", word, t(3, 5), t(3, 5, lo=0, hi=1), reduction)
    case("nll_loss", word, t(3, 5), ints(3, lo=0, hi=4), t(5, lo=0.5), reduction)
    case("nll_loss_forward", word, t(3, 5), ints(3, lo=0, hi=4), t(5, lo=0.5), reduction, -100)
    case("nll_loss2d_forward", word, t(2, 5, 3, 2), ints(2, 3, 2, lo=0, hi=4), None, reduction, 1)
    case("cross_entropy_loss", word, t(3, 5), ints(3, lo=0, hi=4), t(5, lo=0.5), reduction)
    case("hinge_embedding_loss", word, t(5), v(1, -1, 1, -1, 1), 1.0, reduction)
    case("margin_ranking_loss", word, t(5), t(5), v(1, -1, 1, -1, 1), 0.3, reduction)
case("smooth_l1_loss", "beta", t(7), t(7), 1, 0.3)
case("huber_loss", "delta", t(7), t(7), 1, 0.3)
case("mse_loss", "broadcast float64", t(2, 3, dtype=f64), t(2, 1, dtype=f64).expand(2, 3))
case("mse_loss", "bfloat16", t(5, dtype=bf16), t(5, dtype=bf16))
case("binary_cross_entropy", "zeros and ones", v(0, 1, 0, 1), v(0, 1, 1, 0), None, 0)
case("binary_cross_entropy_with_logits", "large", v(200, -200), v(0, 1), None, None, 0)
case("kl_div", "log target", t(3, 5), t(3, 5), 2, log_target=True)
case("nll_loss_forward", "ignored class", t(3, 5), v(1, 2, 1, dtype=i64), None, 1, 1)
case("cross_entropy_loss", "smoothing", t(3, 5), ints(3, lo=0, hi=4), None, 1, -100, 0.1)
case("cross_entropy_loss", "class probabilities", t(3, 5), t(3, 5, lo=0, hi=1))
case("cross_entropy_loss", "pixels", t(2, 5, 3, 2), ints(2, 3, 2, lo=0, hi=4))
case("triplet_margin_loss", "mean", t(3, 5), t(3, 5), t(3, 5))
case("cosine_embedding_loss", "mean", t(3, 5), t(3, 5), v(1, -1, 1))

# Connectionist temporal classification. What it keeps for its gradient is not compared: parts of it are never written.
log_probs = t(11, 3, 5).log_softmax(2)
labels = torch.tensor([[1, 2, 2, 4], [3, 1, 4, 4], [2, 2, 2, 1]])
for blank in (0, 4):
    part = labels.clamp(1, 3) if blank == 4 else labels
    case("_ctc_loss", f"blank {blank}", log_probs, part, [11, 7, 9], [4, 2, 3], blank, ignore=(1,))
    case("_ctc_loss.Tensor", f"blank {blank}", log_probs, part, torch.tensor([11, 7, 9]), torch.tensor([4, 2, 3]), blank, ignore=(1,))
case("_ctc_loss", "one after the other", log_probs, labels.flatten()[:9], [11, 7, 9], [4, 2, 3], ignore=(1,))
case("_ctc_loss", "nothing to say, too long, no time", log_probs, labels, [3, 2, 0], [0, 4, 0], ignore=(1,))
for reduction in (0, 1, 2):
    case("ctc_loss.IntList", f"reduction {reduction}", log_probs, labels, [11, 7, 9], [4, 0, 3], 0, reduction)
    case("ctc_loss.Tensor", f"reduction {reduction}", log_probs, labels, torch.tensor([11, 7, 2]), torch.tensor([4, 2, 3]), 0, reduction, True)
case("ctc_loss.IntList", "no batch", log_probs[:, 0], labels[0], [11], [4])
case("ctc_loss.Tensor", "no batch, not reduced", log_probs[:, 0], labels[0], s(11, i64), s(4, i64), 0, 0)
case("ctc_loss.IntList", "float64", log_probs.to(f64), labels, [11, 7, 9], [4, 2, 3], atol=1e-5, why="single precision where doubles are narrowed")
case("hinge_embedding_loss", "halves, of which the margin is rounded", t(5, dtype=bf16), v(1, -1, 1, -1, 1, dtype=bf16), 8.396, 2)

for word, reduction in (("none", 0), ("mean", 1), ("sum", 2)):
    case("multi_margin_loss", word, t(3, 5), ints(3, lo=0, hi=4), 1, 0.7, t(5, lo=0.5), reduction)
    case("multilabel_margin_loss", word, t(2, 5), v((3, 0, -1, 1, 2), (4, -1, 0, 0, 0), dtype=i64), reduction)
    case("multilabel_margin_loss_forward", word, t(5), v(2, 1, -1, 3, 0, dtype=i64), reduction)
    case("nll_loss2d", word, t(2, 5, 3, 2), ints(2, 3, 2, lo=0, hi=4), t(5, lo=0.5), reduction, 1)
    case("nll_loss_nd", word, t(2, 5, 3), ints(2, 3, lo=0, hi=4), None, reduction)

for first, second in ((f32, f64), (f64, f32), (f32, bf16)):
    names = f"{name_of(first)} and {name_of(second)}"
    case("huber_loss", names, t(5, dtype=first), t(5, dtype=second))
    case("binary_cross_entropy_with_logits", names, t(5, dtype=first), t(5, dtype=second, lo=0, hi=1))
case("binary_cross_entropy_with_logits", "weights of float64", t(5), t(5, lo=0, hi=1), t(5, dtype=f64), t(5, dtype=f64, lo=0.5))

# Gradients, as training IR has them.
for reduction, word in enumerate(("none", "mean", "sum")):
    up = t(2, 3, 5) if reduction == 0 else s(0.7)
    for op in ("mse_loss", "soft_margin_loss"):
        case(f"{op}_backward", word, up, t(2, 3, 5), t(2, 3, 5), reduction)
    for op in ("smooth_l1_loss", "huber_loss"):
        case(f"{op}_backward", word, up, t(2, 3, 5), t(2, 3, 5), reduction, 0.4)
    probabilities, chances = t(2, 3, 5, lo=0.05, hi=0.95), t(2, 3, 5, lo=0, hi=1)
    case("binary_cross_entropy_backward", word, up, probabilities, chances, t(5, lo=0.5), reduction)
    rows = t(3) if reduction == 0 else s(0.7)
    weight, labels = t(5, lo=0.5), v(0, 4, 2, dtype=i64)
    case("nll_loss_backward", word, rows, t(3, 5), labels, weight, reduction, -100, weight[labels].sum())
    pixels = t(2, 3, 2) if reduction == 0 else s(0.7)
    case("nll_loss2d_backward", word, pixels, t(2, 5, 3, 2), ints(2, 3, 2, lo=0, hi=4), None, reduction, 1, s(9.0))
case("nll_loss_backward", "one row, an ignored label", s(0.7), t(3, 5), v(1, -100, 1, dtype=i64), None, 1, -100, s(2.0))
case("nll_loss_backward", "no batch", s(0.7), t(5), s(3, dtype=i64), None, 1, -100, s(1.0))
case("smooth_l1_loss_backward", "no beta", t(7), v(1, 2, 3, 4, 5, 6, 7), v(1, 0, 3, 5, 5, 9, 1), 0, 0.0)
case("binary_cross_entropy_backward", "zeros and ones", t(4), v(0, 1, 0, 1), v(0, 1, 1, 0), None, 0)

for word, reduction in (("none", 0), ("mean", 1), ("sum", 2)):
    case("multilabel_margin_loss_forward", f"{word}, no labels, all labels, one often", t(3, 4, lo=-3, hi=3), v((-1, 0, 1, 2), (3, 1, 0, 2), (1, 1, 1, -1), dtype=i64), reduction)
labels = torch.stack([ints(37, lo=0, hi=36).roll(k) for k in range(3)])
labels[1, 5:], labels[2, 30:] = -1, -1
case("multilabel_margin_loss", "many classes", t(3, 37, lo=-5, hi=5), labels, 0)
case("multilabel_margin_loss", "scores far from zero", t(3, 37, lo=-2, hi=2) + 1000, labels, 0)
case("multilabel_margin_loss", "equal scores", torch.zeros(3, 37), labels, 0)
odd_scores = v((0.1, nan, 2, 3, -1), (1, inf, 0, 2, -inf), (nan, -inf, -inf, -inf, -inf))
for word, label in (("first", 0), ("odd", 1), ("last", 4)):
    given = v(*[(label, 2, 2, -1, 0)] * 3, dtype=i64)
    case("multilabel_margin_loss", f"{word} label of NaN and infinities", odd_scores, given, 0)
case("multi_margin_loss", "a vector and a target of one, none", t(7), v(2, dtype=i64), reduction=0)
case("multi_margin_loss", "a vector and a number, none", t(7), s(2, dtype=i64), reduction=0)
