"""Resizing, resampling and pixel ops."""

import torch

from .tensors import d, f, h

X, L, V = f(2, 3, 5, 7), f(2, 3, 7), f(2, 3, 4, 5, 3)
SIZES = ([10, 14], [3, 4], [5, 7], [1, 1], [11, 3])
FACTORS = ([2.0, 2.0], [0.6, 1.7], [1.0, 3.0])
GRID, GRID3 = f(2, 4, 3, 2), f(2, 4, 3, 2, 3)
PLAIN = ("upsample_nearest2d", "_upsample_nearest_exact2d")
LINEAR = ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa")

CASES = [
    *[(op, [X, size]) for op in PLAIN for size in SIZES],
    *[(f"{op}.vec", [X, None, s]) for op in PLAIN for s in FACTORS],
    *[(op, [X, size, align]) for op in LINEAR for size in SIZES for align in (False, True)],
    *[(f"{op}.vec", [X, None, align, s]) for op in LINEAR for s, align in ((FACTORS[0], False), (FACTORS[1], True), (FACTORS[1], False))],
    *[(op, [L, [11]]) for op in ("upsample_nearest1d", "_upsample_nearest_exact1d")],
    *[(op, [V, [5, 3, 7]]) for op in ("upsample_nearest3d", "_upsample_nearest_exact3d")],
    ("upsample_nearest1d.vec", [L, None, [1.5]]),
    ("upsample_nearest3d.vec", [V, None, [2.0, 1.5, 2.0]]),
    ("upsample_linear1d", [L, [11], False]),
    ("upsample_linear1d.vec", [L, [4], True, None]),
    ("upsample_trilinear3d", [V, [5, 3, 7], True]),
    ("upsample_trilinear3d.vec", [V, None, False, [2.0, 1.5, 0.7]]),
    ("upsample_nearest2d.vec", [X, [4, 4], None]),
    ("upsample_nearest2d.vec", [X, [4, 4], [2.0, 2.0]]),
    ("upsample_nearest2d", [L, [4, 4]]),
    ("upsample_nearest2d", [X, [0, 4]]),
    ("upsample_nearest2d", [X.byte(), [10, 14]]),
    ("upsample_bilinear2d", [h(1, 2, 3, 3), [5, 5], False]),
    ("upsample_bilinear2d", [X.long(), [5, 5], False]),
    ("upsample_bilinear2d", [d(1, 2, 3, 3), [5, 5], True]),
    ("pixel_shuffle", [f(2, 12, 3, 5), 2]),
    ("pixel_shuffle", [f(9, 3, 5), 3]),
    ("pixel_shuffle", [X, 2]),
    ("pixel_unshuffle", [f(2, 3, 4, 6), 2]),
    ("pixel_unshuffle", [X, 2]),
    ("channel_shuffle", [f(2, 6, 3, 5), 3]),
    ("channel_shuffle", [X, 2]),
    ("native_channel_shuffle", [f(2, 6, 3, 5), 2]),
    *[("grid_sampler_2d", [X, GRID, mode, pad, align]) for mode in (0, 1, 2) for pad in (0, 1, 2) for align in (False, True)],
    *[("grid_sampler_3d", [V, GRID3, mode, pad, align]) for mode in (0, 1) for pad in (0, 1, 2) for align in (False, True)],
    ("grid_sampler", [X, GRID, 0, 0, False]),
    ("grid_sampler_2d", [X, f(3, 4, 3, 2), 0, 0, False]),
    ("grid_sampler_2d", [X, GRID3[0], 0, 0, False]),
    ("grid_sampler_3d", [V, GRID3, 2, 0, False]),
    *[("affine_grid_generator", [f(2, 2, 3), [2, 3, 5, 7], align]) for align in (False, True)],
    ("affine_grid_generator", [f(2, 3, 4), [2, 3, 1, 5, 7], True]),
    *[("fft_fft", [x, n]) for x, n in ((f(3, 5), None), (f(3, 5), 7), (f(3, 5), 2), (torch.randn(3, dtype=torch.complex64), None))],
    ("fft_ifft", [f(3, 5), None, 0, "ortho"]),
    ("fft_rfft", [f(3, 5)]),
    ("fft_rfft", [f(3, 5), 8, 0]),
    ("fft_irfft", [torch.randn(3, 5, dtype=torch.complex64)]),
    ("fft_irfft", [torch.randn(3, 5, dtype=torch.complex64), 7]),
    ("fft_fft2", [f(2, 3, 5)]),
    ("fft_rfft2", [f(2, 3, 5), [4, 4]]),
    ("fft_rfftn", [f(2, 3, 5)]),
    ("fft_irfft2", [torch.randn(2, 3, 5, dtype=torch.complex64)]),
    ("fft_fftshift", [f(3, 4)]),
    ("fft_ifftshift", [f(3, 4), [1]]),
    ("fft_fftn", [f(2, 3, 5), [4], [1], "forward"]),
    ("fft_rfft", [torch.randn(3, dtype=torch.complex64)]),
    ("stft", [f(50), 16], {"return_complex": True}),
    ("stft", [f(2, 50), 16, 5, 10, f(10), True], {"return_complex": True}),
    ("stft", [f(2, 50), 16, 4, None, f(16), False, False], {"return_complex": False}),
    ("stft", [f(50), 60], {"return_complex": True}),
    ("stft.center", [f(2, 50), 16, 4, 12, f(12)], {"center": True, "return_complex": True}),
]
