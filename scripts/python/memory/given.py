"""Calls given by hand: arguments that the database does not have and that random calls never draw, mostly empty ones."""

from collections.abc import Iterator
from typing import Any

import torch

from memory.observe import Observations


def calls() -> Iterator[tuple[Any, ...]]:
    """(operator, arguments…); a dictionary at the end holds keyword arguments."""
    aten = torch.ops.aten
    x, square, image, column = torch.randn(2, 3), torch.randn(3, 3), torch.randn(1, 4, 4, 4), torch.randn(3, 1)
    turned, conj = torch.randn(3, 2).t(), torch.randn(2, 3, dtype=torch.complex64).conj()
    index, counts = torch.tensor([0, 1]), torch.randint(0, 5, (2, 3))
    # One of several: what joins or multiplies a list has nothing to do for one.
    yield aten.cartesian_prod.default, [x[0]]
    yield aten.cartesian_prod.default, [x[0], x[1]]
    yield aten.chain_matmul.default, [x]
    yield aten.chain_matmul.default, [square, square]
    yield aten.block_diag.default, [x]
    for op in (aten.cat, aten.stack, aten.hstack, aten.vstack, aten.dstack, aten.column_stack, aten.row_stack, aten.concat):
        yield op.default, [x]
        yield op.default, [turned]
    yield aten.pad_sequence.default, [x]
    yield aten.flatten_dense_tensors.default, [x]
    yield aten.flatten_dense_tensors.default, [turned]
    yield aten.unflatten_dense_tensors.default, x.reshape(-1), [torch.randn(2, 3)]
    for equation in ("ij->ij", "ij->ji", "...->...", "ij", "ji", "i...->...i", "ij->i", "ij->"):
        for operand in (x, square, column):
            yield aten.einsum.default, equation, [operand]
    for equation in ("ii->i", "ii", "i...i->i..."):
        yield aten.einsum.default, equation, [square]
    yield aten.einsum.default, "iij->ij", [torch.randn(3, 3, 3)]
    for equation in ("ij,ij->ij", "ij,jk->ik", "ij,ij->ji"):
        yield aten.einsum.default, equation, [square, square]
    yield aten.einsum.default, ",ij->ij", [square[0, 0], square]
    # Nothing asked for.
    yield aten.matrix_power.default, square, 1
    yield aten.linalg_matrix_power.default, square, 1
    yield aten.rot90.default, x, 0
    yield aten.roll.default, x, [0], [0]
    yield aten.tile.default, x, []
    yield aten.tile.default, x, [1, 1]
    yield aten.repeat.default, x, [1, 1]
    yield aten.repeat_interleave.self_int, x, 1, 0
    yield aten.repeat_interleave.Tensor, torch.ones(3, dtype=torch.int64)
    yield aten.diff.default, x, 0
    yield aten.flip.default, x, []
    yield aten.constant_pad_nd.default, x, [0, 0]
    yield aten.pad.default, x, [0, 0]
    for mode in ("reflect", "replicate", "circular"):
        yield aten.pad.default, image, [0, 0, 0, 0], mode
    yield aten.reflection_pad2d.default, image, [0, 0, 0, 0]
    yield aten.pixel_shuffle.default, image, 1
    yield aten.pixel_unshuffle.default, image, 1
    yield aten.channel_shuffle.default, image, 1
    yield aten.native_channel_shuffle.default, image, 1
    yield aten.adaptive_avg_pool2d.default, image, [4, 4]
    yield aten._adaptive_avg_pool2d.default, image, [4, 4]
    yield aten.adaptive_avg_pool1d.default, image[0], 4
    yield aten.adaptive_max_pool2d.default, image, [4, 4]
    yield aten.avg_pool2d.default, image, [1, 1]
    yield aten.max_pool2d.default, image, [1, 1]
    yield aten.max_pool1d.default, image[0], [1]
    for op in (aten.upsample_nearest2d, aten._upsample_nearest_exact2d):
        yield op.default, image, [4, 4]
    yield aten.upsample_bilinear2d.default, image, [4, 4], True
    yield aten.upsample_bicubic2d.default, image, [4, 4], True
    yield aten.round.default, counts
    yield aten.floor.default, counts
    yield aten.nan_to_num.default, counts
    yield aten.pow.Tensor_Scalar, x, 1
    yield aten.clamp.default, x, 0
    yield aten.sum.dim_IntList, x[0, 0], []
    yield aten.sum_to_size.default, x, [2, 3]
    yield aten.sum_to_size.default, x, [3]
    yield aten.sum_to_size.default, column, [3, 1]
    yield aten.logsumexp.default, x[0, 0], [0]
    yield aten.fft_fftn.default, conj, None, []
    yield aten.masked_fill.Scalar, x, torch.zeros(2, 3, dtype=torch.bool), 1
    yield aten.index_add.default, x, 0, index[:0], x[:0]
    yield aten.renorm.default, x, 2, 0, 100
    yield aten.tril.default, x, 5
    # A view, or a copy.
    for tensor in (x, turned):
        for op in (aten.reshape, aten._reshape_copy):
            yield op.default, tensor, [6]
            yield op.default, tensor, [2, 3]
        yield aten.reshape_as.default, tensor, torch.randn(6)
        yield aten.flatten.using_ints, tensor
        yield aten.ravel.default, tensor
        yield aten.contiguous.default, tensor
        yield aten.unflatten.int, tensor, 1, [3, 1]
        yield aten.to_dense.default, tensor
        yield aten.type_as.default, tensor, square
        yield aten.type_as.default, tensor, counts
    # These do not know of conjugates to be computed, and get them computed.
    for tensor in (x, conj):
        yield aten._unsafe_view.default, tensor, [6]
        yield aten.unsafe_split.Tensor, tensor, 1
        yield aten.unsafe_split_with_sizes.default, tensor, [1, 1]
        yield aten.unsafe_chunk.default, tensor, 2
    for tensor in (x, conj, conj.imag, conj.resolve_conj(), conj.resolve_conj().imag):
        for op in (aten.resolve_conj, aten.resolve_neg, aten.conj, aten.conj_physical, aten._neg_view, aten.positive):
            yield op.default, tensor
    for name in ("Byte", "Char", "Double", "Float", "Half", "Int", "Long", "Short"):
        cast = getattr(aten, f"_cast_{name}").default
        yield cast, counts.bool()
        yield cast, cast(counts.bool())
    for train in (False, True):
        for p in (0.0, 0.5, 1.0):
            for op in (aten.dropout, aten.feature_dropout, aten.alpha_dropout, aten.feature_alpha_dropout, aten.native_dropout):
                yield op.default, image, p, train
    # What takes several tensors that fit each other.
    yield aten.convolution.default, image, torch.ones(4, 1, 1, 1), None, [1, 1], [0, 0], [1, 1], False, [0, 0], 4
    yield aten.conv_tbc.default, torch.randn(3, 2, 4), torch.randn(1, 4, 4), torch.randn(4)
    yield aten.embedding_bag.default, x, index, index
    yield aten._embedding_bag.default, x, index, index
    yield aten.nll_loss.default, x, index, None, 0
    yield aten.nll_loss_forward.default, x, index, None, 0, -100
    yield aten._pack_padded_sequence.default, torch.randn(1, 2, 3), torch.tensor([2]), True
    yield aten._pad_packed_sequence.default, torch.randn(2, 3), torch.tensor([1, 1]), True, 0.0, 2
    for bidirectional in (False, True):
        weights = [torch.randn(8, 2), torch.randn(8, 2), torch.randn(8), torch.randn(8)] * (1 + bidirectional)
        state = torch.randn(1 + bidirectional, 1, 2)
        rest = (True, 1, 0.0, False, bidirectional, False)
        for length in (1, 3):
            sequence = torch.randn(length, 1, 2)
            yield aten.lstm.input, sequence, [state, state], weights, *rest
            yield aten.gru.input, sequence, state, [w[:6] for w in weights], *rest
            yield aten.rnn_tanh.input, sequence, state, [w[:2] for w in weights], *rest
            yield aten.rnn_relu.input, sequence, state, [w[:2] for w in weights], *rest
            packed = (sequence[:, 0], torch.ones(length, dtype=torch.int64), [state, state], weights)
            yield aten.lstm.data, *packed, *rest[:-1]
            yield aten.gru.data, *packed[:2], state, [w[:6] for w in weights], *rest[:-1]
    yield aten.lstm_cell.default, x[:, :2], [x[:, :2], x[:, :2]], *weights[:4]
    yield aten.affine_grid_generator.default, torch.randn(1, 2, 3), [1, 1, 2, 2], True
    yield aten.quantile.default, x[0], torch.tensor([0.5])
    yield aten.nanquantile.default, x[0], torch.tensor([0.5])
    yield aten._masked_softmax.default, x, torch.zeros(2, 3, dtype=torch.bool), 1, 2
    yield aten._scaled_dot_product_flash_attention_for_cpu.default, image, image, image
    yield aten.poisson.default, x.abs()
    yield aten.bernoulli.p, x, 0.5
    yield aten.normal_functional.default, x
    yield aten.col2im.default, torch.randn(1, 4, 1), [2, 2], [2, 2], [1, 1], [0, 0], [1, 1]
    yield aten.im2col.default, image, [1, 1], [1, 1], [0, 0], [1, 1]
    for stats in ((None, None), (torch.zeros(4), torch.ones(4))):
        yield aten.batch_norm.default, image, None, None, *stats, stats[0] is None, 0.1, 1e-5, False
        yield aten._native_batch_norm_legit_no_training.default, image, None, None, torch.zeros(4), torch.ones(4), 0.1, 1e-5


def observe_given() -> Observations:
    """Makes every call. One that PyTorch refuses says that this list is wrong."""
    seen = Observations()
    torch.manual_seed(0)
    refused = []
    for op, *args in calls():
        named = args.pop() if isinstance(args[-1], dict) else {}
        try:
            seen.call(op, tuple(args), named)
        except Exception as problem:
            refused.append(f"{op}: {str(problem).splitlines()[0]}")
    if refused:
        raise ValueError("\n".join(refused))
    return seen
