"""Interpolation and sampling of grids."""
from opcase import bf16, case, f16, f32, f64, inf, ints, name_of, nan, t, u8, v

line, image, volume = (2, 3, 5), (1, 2, 5, 7), (1, 2, 3, 4, 5)

for op in ("upsample_nearest2d", "_upsample_nearest_exact2d"):
    case(f"{op}.vec", "twice", t(*image), None, [2.0, 2.0])
    case(f"{op}.vec", "to a size", t(*image), [3, 11], None)
    case(f"{op}.vec", "fractional factor", t(*image), None, [1.5, 2.3])
    case(f"{op}.vec", "permuted", t(1, 5, 7, 2).permute(0, 3, 1, 2), [10, 14], None)
    case(op, "to a size", t(*image), [7, 3])
    case(op, "factors given", t(*image), [7, 16], 1.5, 2.3)
case("upsample_nearest2d.vec", "uint8 values stay", ints(1, 1, 2, 3, lo=0, hi=255, dtype=u8), [5, 5], None)
for op in ("upsample_nearest1d", "_upsample_nearest_exact1d"):
    case(f"{op}.vec", "twice", t(*line), None, [2.0])
    case(op, "to a size", t(*line), [7])
for op in ("upsample_nearest3d", "_upsample_nearest_exact3d"):
    case(f"{op}.vec", "twice", t(*volume), None, [2.0, 2.0, 2.0])
    case(op, "to a size", t(*volume), [5, 3, 7])

for corners in (False, True):
    word = "corners aligned" if corners else "corners free"
    for op in ("upsample_bilinear2d", "upsample_bicubic2d"):
        case(f"{op}.vec", f"twice, {word}", t(*image), None, corners, [2.0, 2.0])
        case(f"{op}.vec", f"smaller, {word}", t(*image), [3, 4], corners, None)
        case(f"{op}.vec", f"fractional factor, {word}", t(*image), None, corners, [1.7, 0.6])
        case(op, f"to a size, {word}", t(*image), [11, 3], corners)
        case(op, f"one pixel, {word}", t(1, 1, 1, 5), [3, 1], corners)
        case(op, f"factors given, {word}", t(*image), [8, 4], corners, 1.7, 0.6)
    for op in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
        case(f"{op}.vec", f"smaller, {word}", t(1, 2, 11, 13), [4, 5], corners, None)
        case(op, f"larger, {word}", t(*image), [11, 9], corners)
    case("upsample_linear1d.vec", f"to a size, {word}", t(*line), [11], corners, None)
    case("upsample_linear1d", f"to a size, {word}", t(*line), [3], corners)
    case("upsample_trilinear3d.vec", f"twice, {word}", t(*volume), None, corners, [2.0, 1.5, 2.0])
    case("upsample_trilinear3d", f"to a size, {word}", t(*volume), [5, 3, 7], corners)
    case("affine_grid_generator", f"2d, {word}", t(2, 2, 3), [2, 1, 3, 5], corners)
    for mode, kind in enumerate(("bilinear", "nearest", "bicubic")):
        for padding, edge in enumerate(("zeros", "border", "reflection")):
            case("grid_sampler_2d", f"{kind}, {edge}, {word}", t(*image), t(1, 3, 4, 2, lo=-1.4, hi=1.4), mode, padding, corners)
    case("grid_sampler", f"bilinear, {word}", t(*image), t(1, 3, 4, 2, lo=-1.1, hi=1.1), 0, 0, corners)
    case("grid_sampler_3d", f"bilinear, {word}", t(*volume), t(1, 2, 3, 2, 3, lo=-1.2, hi=1.2), 0, 0, corners)
case("affine_grid_generator", "3d", t(1, 3, 4), [1, 1, 2, 3, 2], False)
case("upsample_bilinear2d.vec", "float64 permuted", t(1, 5, 7, 2, dtype=f64).permute(0, 3, 1, 2), [9, 9], False, None)
case("upsample_bilinear2d.vec", "float16", t(*image, dtype=f16), [7, 9], False, None)

# Shapes and dtypes that every way of resizing has to take.
ways = {
    "upsample_nearest1d": (), "_upsample_nearest_exact1d": (), "upsample_linear1d": (False,),
    "upsample_nearest2d": (), "_upsample_nearest_exact2d": (), "upsample_bilinear2d": (False,),
    "upsample_bicubic2d": (False,), "_upsample_bilinear2d_aa": (False,), "_upsample_bicubic2d_aa": (False,),
    "upsample_nearest3d": (), "_upsample_nearest_exact3d": (), "upsample_trilinear3d": (False,),
}
for op, corners in ways.items():
    rank = next(n for n in (1, 2, 3) if f"{n}d" in op)
    spatial, smaller, larger = (3, 5, 7)[-rank:], (2, 3, 4)[-rank:], (5, 7, 11)[-rank:]
    case(op, "an empty batch", t(0, 3, *spatial), larger, *corners)
    case(op, "several images, prime sizes", t(2, 2, *spatial), larger, *corners)
    case(op, "the same size", t(1, 2, *spatial), spatial, *corners)
    case(op, "to one pixel", t(1, 2, *spatial), (1,) * rank, *corners)
    case(op, "every second channel, transposed", t(2, *spatial[::-1], 5).permute(0, rank + 1, *range(rank, 0, -1))[:, ::2], smaller, *corners)
    if not op.endswith("_aa"):  # PyTorch has no halves there
        case(op, "float16", t(1, 2, *spatial, dtype=f16), smaller, *corners)
        case(op, "bfloat16", t(1, 1, *spatial, dtype=bf16), larger, *corners)
        case(op, "factors that are not the sizes' quotients", t(1, 2, *spatial), smaller, *corners, *[0.47, 0.39, 0.44][-rank:])
for op in ("upsample_bilinear2d", "upsample_bicubic2d", "_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
    case(op, "bytes of an image", ints(1, 3, 13, 11, lo=0, hi=255, dtype=u8), [7, 17], False)
    case(op, "bytes, corners aligned, strided", ints(5, 7, 9, 2, lo=0, hi=255, dtype=u8).permute(3, 0, 2, 1)[:, ::2], [5, 3], True)
    case(op, "bytes, much smaller", ints(2, 5, 31, 29, lo=0, hi=255, dtype=u8), [3, 4], False)
    case(op, "bytes, factors", ints(1, 1, 6, 5, lo=0, hi=255, dtype=u8), [9, 10], False, 1.6, 2.1)
for op in ("_upsample_bilinear2d_aa", "_upsample_bicubic2d_aa"):
    case(op, "much smaller, corners aligned", t(1, 2, 31, 29), [2, 3], True)
    case(op, "smaller one way, larger the other", t(1, 2, 23, 3), [4, 7], False)

for corners, word in ((False, "edges"), (True, "corners")):
    for mode, kind in enumerate(("bilinear", "nearest")):
        for padding, edge in enumerate(("zeros", "border", "reflection")):
            case("grid_sampler_2d_backward", f"{kind}, {edge}, {word}", t(2, 3, 3, 4), t(2, 3, 5, 7), t(2, 3, 4, 2, lo=-1.7, hi=1.7), mode, padding, corners,
                 [True, True])
case("grid_sampler_2d_backward", "only the grid", t(1, 2, 2, 2), t(1, 2, 5, 3), t(1, 2, 2, 2), 0, 0, False, [False, True])
for corners, word in ((False, "edges"), (True, "corners")):
    for padding, edge in enumerate(("zeros", "border", "reflection")):
        case("grid_sampler_2d_backward", f"bicubic, {edge}, {word}", t(2, 3, 3, 4), t(2, 3, 5, 7), t(2, 3, 4, 2, lo=-1.7, hi=1.7), 2, padding, corners,
             [True, True])
        for mode, kind in enumerate(("bilinear", "nearest")):
            case("grid_sampler_3d_backward", f"{kind}, {edge}, {word}", t(2, 3, 2, 3, 4), t(2, 3, 5, 7, 3), t(2, 2, 3, 4, 3, lo=-1.7, hi=1.7), mode,
                 padding, corners, [True, True])
    for op in ("_upsample_bilinear2d_aa_backward", "_upsample_bicubic2d_aa_backward"):
        case(op, f"smaller, {word}", t(2, 3, 3, 2), [3, 2], [2, 3, 7, 11], corners)
        case(op, f"larger, {word}", t(1, 2, 11, 13), [11, 13], [1, 2, 5, 7], corners)
        case(op, f"factors, {word}", t(1, 2, 3, 4), [3, 4], [1, 2, 7, 9], corners, 0.41, 0.45)

# Gradients: sizes that grow and shrink, and factors that are given.
grown = {1: ([3, 5], [2.3, 1.7]), 2: ([7, 3], [1.5, 0.6]), 3: ([5, 3, 7], [1.7, 0.8, 1.4])}
sources = {1: line, 2: image, 3: volume}
back = {f"{op}{rank}d": (rank, ()) for rank in (1, 2, 3) for op in ("upsample_nearest", "_upsample_nearest_exact")}
for op, rank in (("upsample_linear1d", 1), ("upsample_bilinear2d", 2), ("upsample_trilinear3d", 3), ("upsample_bicubic2d", 2)):
    back[op] = (rank, (False,))
    sizes = grown[rank][0][:rank]
    case(f"{op}_backward", "corners aligned", t(*sources[rank][:2], *sizes), sizes, list(sources[rank]), True)
for op, (rank, corners) in back.items():
    shape, sizes = sources[rank], grown[rank][0][:rank]
    case(f"{op}_backward", "to a size", t(*shape[:2], *sizes), sizes, list(shape), *corners)
    factors = grown[rank][1][:rank]
    scaled = [int(n * factor) for n, factor in zip(shape[2:], factors, strict=True)]
    case(f"{op}_backward", "factors given", t(*shape[:2], *scaled), scaled, list(shape), *corners, *factors)
case("upsample_bicubic2d_backward", "one pixel", t(1, 1, 3, 2), [3, 2], [1, 1, 1, 1], False)
for corners in (False, True):
    word = "corners aligned" if corners else "corners free"
    case("affine_grid_generator_backward", f"2d, {word}", t(2, 3, 5, 2), [2, 1, 3, 5], corners)
    case("affine_grid_generator_backward", f"3d, {word}", t(2, 2, 1, 3, 3), [2, 1, 2, 1, 3], corners)
for op, size in (
    ("upsample_bilinear2d", [61, 24]),
    ("upsample_bicubic2d", [23, 41]),
    ("_upsample_bilinear2d_aa", [27, 13]),
    ("_upsample_bicubic2d_aa", [19, 27]),
):
    case(op, "bytes, many weights", ints(1, 1, 43, 37, lo=0, hi=255, dtype=u8), size, False)
# What stays as long is copied by all but cubic and nearest resizes, whatever the scale factor is; small images also by nearest ones.
for dtype in (f32, f64):
    line, image = t(1, 2, 7, dtype=dtype), t(1, 2, 3, 7, dtype=dtype)
    named = name_of(dtype)
    case("upsample_nearest1d", f"as long, scale 1.1, {named}", line, [7], 1.1)
    case("upsample_nearest1d", f"twice as long, scale 2.1, {named}", line, [14], 2.1)
    case("upsample_nearest2d", f"as large, scale 1.1, {named}", image, [6, 7], 2.3, 1.1)
    case("upsample_nearest2d", f"not small, scale 1.1, {named}", t(1, 1, 2, 130, dtype=dtype), [2, 130], 1.4, 1.003)
    case("upsample_linear1d", f"as long, scale 1.1, {named}", line, [7], False, 1.1)
    case("upsample_bilinear2d", f"as wide, scale 1.1, {named}", image, [5, 7], False, None, 1.1)
    case("_upsample_bilinear2d_aa", f"as wide, scale 1.1, {named}", image, [5, 7], False, None, 1.1)
    case("_upsample_bicubic2d_aa", f"as high, scale 1.1, {named}", image, [3, 4], False, 1.1, None)
    # Infinities spread to neighbors alone.
    infinite = image.clone()
    infinite[0, 0, 1, 5] = inf
    for size in ([5, 4], [3, 11]):
        for corners in (True, False):
            case("upsample_bilinear2d", f"an infinity to {size}, {corners}, {named}", infinite, size, corners)
            case("upsample_bicubic2d", f"an infinity to {size}, {corners}, {named}", infinite, size, corners)
# Infinities beside what is read, and positions that are no numbers.
for spatial in ((3, 5), (2, 3, 4)):
    op, rank = f"grid_sampler_{len(spatial)}d", len(spatial)
    infinite = t(1, 2, *spatial)
    infinite[0, 0].view(-1)[0], infinite[0, 1].view(-1)[-1] = inf, -inf
    corners, lost = t(1, *(3,) * rank, rank, lo=-1.5, hi=1.5), t(1, *(3,) * rank, rank, lo=-1, hi=1)
    corners.view(-1, rank)[:4] = v(1, -1, 1.2, 0)[:, None]
    lost.view(-1)[::5], lost.view(-1)[1::7] = nan, inf
    for mode in (0, 1) if rank == 3 else (0, 1, 2):
        for padding in (0, 1, 2):
            case(op, f"infinities, {mode}, {padding}", infinite, corners, mode, padding, True)
            case(op, f"lost positions, {mode}, {padding}", t(1, 2, *spatial), lost, mode, padding, False)
for dtype in (f32, f64):
    case("_upsample_lanczos2d_aa", f"fewer, {name_of(dtype)}", t(1, 2, 11, 13, dtype=dtype), [3, 5], False)
    case("_upsample_lanczos2d_aa", f"more, {name_of(dtype)}", t(1, 2, 5, 7, dtype=dtype), [11, 9], False)
case("_upsample_lanczos2d_aa", "with scales", t(2, 1, 12, 8), [4, 4], False, 1 / 3, 0.5)
case("_upsample_lanczos2d_aa.vec", "scale factors", t(1, 2, 9, 12), None, False, [0.5, 0.25])
