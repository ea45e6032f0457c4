// All kernels for GPUs as plain C++, under names of their own.
#include "deform-conv2d.cu"
#include "nms.cu"
#include "ps-roi-align.cu"
#include "ps-roi-pool.cu"
#include "roi-align.cu"
#include "roi-pool.cu"

STABLE_TORCH_LIBRARY_FRAGMENT(torchvision_emulated, m) {
  for (const char* schema : {pt2::kNms, pt2::kRoiAlign, pt2::kRoiAlignBackward, pt2::kRoiPool, pt2::kRoiPoolBackward,
                             pt2::kPsRoiAlign, pt2::kPsRoiAlignBackward, pt2::kPsRoiPool, pt2::kPsRoiPoolBackward,
                             pt2::kDeformConv2d, pt2::kDeformConv2dBackward}) {
    m.def(schema);
  }
}
