"""Recurrent layers and their cells."""
from opcase import case, f64, t


def weights(inputs, hidden, gates, layers=1, directions=1, biases=True, **kw):
    """As torch.nn orders them: per layer and direction w_ih, w_hh, b_ih, b_hh."""
    result = []
    for layer in range(layers):
        width = inputs if layer == 0 else hidden * directions
        for _ in range(directions):
            result += [t(gates * hidden, width, lo=-1, hi=1, **kw), t(gates * hidden, hidden, lo=-1, hi=1, **kw)]
            result += [t(gates * hidden, **kw), t(gates * hidden, **kw)] if biases else []
    return result


def state(op, n, batch, hidden, **kw):
    """What the layer starts with: a list of hidden and cell state for an LSTM."""
    return [t(n, batch, hidden, **kw) for _ in "hc"] if op == "lstm.input" else t(n, batch, hidden, **kw)


for op, gates in (("gru.input", 3), ("rnn_tanh.input", 1), ("rnn_relu.input", 1), ("lstm.input", 4)):
    case(op, "one layer", t(5, 2, 3), state(op, 1, 2, 7), weights(3, 7, gates), True, 1, 0.0, False, False, False)
    case(op, "batch first", t(2, 5, 3), state(op, 1, 2, 7), weights(3, 7, gates), True, 1, 0.0, False, False, True)
    case(op, "two layers, both directions", t(5, 2, 3), state(op, 4, 2, 2), weights(3, 2, gates, 2, 2), True, 2, 0.0, False, True, False)
    bare = t(3, 2, 5), state(op, 2, 2, 3), weights(5, 3, gates, 2, biases=False)
    case(op, "no biases, dropout in evaluation", *bare, False, 2, 0.5, False, False, False)
    wide = t(3, 2, 5, dtype=f64), state(op, 1, 2, 3, dtype=f64), weights(5, 3, gates, dtype=f64)
    case(op, "float64", *wide, True, 1, 0.0, False, False, False)

case("lstm_cell", "biases", t(2, 3), [t(2, 5), t(2, 5)], t(20, 3), t(20, 5), t(20), t(20))
case("lstm_cell", "no biases", t(2, 3), [t(2, 5), t(2, 5)], t(20, 3), t(20, 5))
case("gru_cell", "biases", t(2, 3), t(2, 5), t(15, 3), t(15, 5), t(15), t(15))
case("rnn_tanh_cell", "biases", t(2, 3), t(2, 5), t(5, 3), t(5, 5), t(5), t(5))
case("rnn_relu_cell", "no biases", t(2, 3), t(2, 5), t(5, 3), t(5, 5))
