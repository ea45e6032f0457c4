"""Recurrent layers, losses and random tensors."""

import torch

from .tensors import b, f, h, i


def weights(gates, layers, directions, size=5, inputs=3, bias=True, project=0):
    hidden = project or size
    found = []
    for layer in range(layers):
        for _ in range(directions):
            width = inputs if layer == 0 else hidden * directions
            found += [f(gates * size, width), f(gates * size, hidden)]
            found += [f(gates * size), f(gates * size)] if bias else []
            found += [f(project, size)] if project else []
    return found


def call(gates, layers=1, directions=1, batch_first=False, bias=True, project=0, lstm=False):
    hidden = f(layers * directions, 2, project or 5)
    state = [hidden, f(layers * directions, 2, 5)] if lstm else hidden
    x = f(2, 4, 3) if batch_first else f(4, 2, 3)
    return [x, state, weights(gates, layers, directions, bias=bias, project=project), bias, layers, 0.0, False, directions == 2, batch_first]


P, T = torch.rand(3, 5), torch.rand(3, 5)
LOGITS, CLASSES = f(7, 5), i(7, high=5)
IMAGE, MAP = f(2, 5, 3, 4), i(2, 3, 4, high=5)
IGNORED = torch.tensor([1, -100, 3, 0, -100, 2, 4])
LOSSES = (
    "mse_loss",
    "l1_loss",
    "smooth_l1_loss",
    "huber_loss",
    "soft_margin_loss",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "kl_div",
)

CASES = [
    *[
        ("lstm.input", call(4, lstm=True, **o))
        for o in ({}, {"layers": 2, "directions": 2}, {"batch_first": True, "bias": False}, {"project": 2, "layers": 2})
    ],
    *[("gru.input", call(3, **o)) for o in ({}, {"layers": 2, "directions": 2, "batch_first": True}, {"bias": False})],
    *[(op, call(1, **o)) for op in ("rnn_tanh.input", "rnn_relu.input") for o in ({}, {"layers": 2, "directions": 2})],
    ("lstm_cell", [f(2, 3), [f(2, 5), f(2, 5)], *weights(4, 1, 1)]),
    ("gru_cell", [f(2, 3), f(2, 5), *weights(3, 1, 1)]),
    ("rnn_tanh_cell", [f(2, 3), f(2, 5), *weights(1, 1, 1)]),
    ("rnn_relu_cell", [f(2, 3), f(2, 5), *weights(1, 1, 1, bias=False)]),
    *[(op, [P, T], {"reduction": reduction}) for op in LOSSES for reduction in (0, 1, 2)],
    ("binary_cross_entropy", [P, T, f(5)]),
    ("binary_cross_entropy", [P, f(5).sigmoid()]),
    ("binary_cross_entropy_with_logits", [P, T, f(5), f(5).abs()]),
    ("kl_div", [P, T], {"log_target": True}),
    ("smooth_l1_loss", [P, T, 1, 0.0]),
    ("huber_loss", [P, T, 0, 0.3]),
    ("poisson_nll_loss", [P, T, True, False, 1e-8, 1]),
    ("poisson_nll_loss", [P, T * 4, False, True, 1e-8, 0]),
    ("mse_loss", [h(3), h(3)]),
    *[("margin_ranking_loss", [f(5), f(5), f(5).sign(), 0.2, r]) for r in (0, 1)],
    ("hinge_embedding_loss", [f(5), f(5).sign()]),
    ("cosine_embedding_loss", [f(3, 5), f(3, 5), f(3).sign(), 0.1]),
    ("triplet_margin_loss", [f(3, 5), f(3, 5), f(3, 5)]),
    ("triplet_margin_loss", [f(3, 5), f(3, 5), f(3, 5), 1.0, 1.0, 1e-6, True, 0]),
    *[("nll_loss", [LOGITS, CLASSES, w, r]) for w in (None, f(5).abs()) for r in (0, 1, 2)],
    ("nll_loss", [f(5), torch.tensor(3)]),
    ("nll_loss", [LOGITS, IGNORED]),
    ("nll_loss", [LOGITS, i(6)]),
    ("nll_loss_forward", [LOGITS, CLASSES, None, 1, -100]),
    ("nll_loss_forward", [LOGITS, IGNORED, f(5), 0, -100]),
    ("nll_loss2d", [IMAGE, MAP]),
    ("nll_loss2d_forward", [IMAGE, MAP, None, 2, -100]),
    ("nll_loss_nd", [IMAGE, MAP]),
    *[
        ("cross_entropy_loss", [LOGITS, t, w, r, -100, s])
        for t in (CLASSES, IGNORED)
        for w in (None, f(5).abs())
        for r in (0, 1, 2)
        for s in (0.0, 0.2)
    ],
    *[("cross_entropy_loss", [LOGITS, f(7, 5).softmax(1), w, r, -100, s]) for w in (None, f(5).abs()) for r in (0, 1) for s in (0.0, 0.2)],
    ("cross_entropy_loss", [IMAGE, MAP]),
    ("rand", [[2, 3]], {}),
    ("randn", [[2]], {"dtype": torch.float64}),
    ("rand_like", [P]),
    ("randn_like", [P], {"dtype": torch.float64}),
    ("randint", [5, [2, 3]], {}),
    ("randint.low", [2, 5, [2]], {"dtype": torch.int32}),
    ("randint.low", [5, 5, [2]], {}),
    ("randperm", [7], {}),
    ("bernoulli", [P]),
    ("bernoulli.p", [P, 0.3]),
    ("randint_like", [P, 5]),
    ("normal.Tensor_float", [P, 2.0]),
    ("normal.float_Tensor", [1.0, P]),
    ("normal.Tensor_Tensor", [P, T]),
    ("normal_functional", [P]),
    ("uniform", [P, -1.0, 1.0]),
    ("exponential", [P]),
    *[("multinomial", [x, n, r]) for x, n, r in ((P, 2, False), (P, 9, True), (P[0], 9, False), (P[0], 3, True))],
    ("dropout", [P, 0.5, False]),
    ("dropout", [P, 0.5, True]),
    ("native_dropout", [P, 0.5, True]),
    ("native_dropout", [P, 0.5, False]),
    ("feature_dropout", [IMAGE, 0.5, True]),
    ("alpha_dropout", [P, 0.5, True]),
    ("dropout", [P, 1.5, True]),
    ("_softmax_backward_data", [P, T, 1, torch.float32]),
    ("_log_softmax_backward_data", [P, T, 1, torch.float32]),
    ("embedding_dense_backward", [f(2, 3, 5), i(2, 3), 7, -1, False]),
    ("embedding_dense_backward", [f(3, 5), i(3), 7, 1, True]),
    ("native_layer_norm_backward", [f(2, 5), f(2, 5), [5], f(2, 1), f(2, 1), f(5), f(5), [True, True, True]]),
    ("native_group_norm_backward", [f(2, 6, 5), f(2, 6, 5), f(2, 3), f(2, 3), f(6), 2, 6, 5, 3, [True, True, True]]),
    ("max_pool2d_with_indices_backward", [f(1, 2, 2, 2), f(1, 2, 4, 4), [2, 2], [2, 2], [0, 0], [1, 1], False, i(1, 2, 2, 2, high=16)]),
    ("avg_pool2d_backward", [f(1, 2, 2, 2), f(1, 2, 4, 4), [2, 2], [2, 2], [0, 0], False, True, None]),
    ("_adaptive_avg_pool2d_backward", [f(1, 2, 2, 2), f(1, 2, 5, 5)]),
    ("convolution_backward", [f(1, 3, 3, 3), f(1, 2, 5, 5), f(3, 2, 3, 3), [3], [1, 1], [0, 0], [1, 1], False, [0, 0], 1, [True, True, True]]),
    ("bernoulli.Tensor", [P, b(3, 5).float()]),
]
