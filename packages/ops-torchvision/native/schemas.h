// The schemas of the ops, those of torchvision.
#pragma once

namespace pt2 {

constexpr const char* kNms = "nms(Tensor dets, Tensor scores, float iou_threshold) -> Tensor";
constexpr const char* kRoiAlign =
    "roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int "
    "sampling_ratio, bool aligned) -> Tensor";
constexpr const char* kRoiAlignBackward =
    "_roi_align_backward(Tensor grad, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, "
    "SymInt batch_size, SymInt channels, SymInt height, SymInt width, int sampling_ratio, bool aligned) -> Tensor";
constexpr const char* kRoiPool =
    "roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> (Tensor, "
    "Tensor)";
constexpr const char* kRoiPoolBackward =
    "_roi_pool_backward(Tensor grad, Tensor rois, Tensor argmax, float spatial_scale, SymInt pooled_height, SymInt "
    "pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor";
constexpr const char* kPsRoiAlign =
    "ps_roi_align(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width, int "
    "sampling_ratio) -> (Tensor, Tensor)";
constexpr const char* kPsRoiAlignBackward =
    "_ps_roi_align_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt "
    "pooled_height, SymInt pooled_width, int sampling_ratio, SymInt batch_size, SymInt channels, SymInt height, SymInt "
    "width) -> Tensor";
constexpr const char* kPsRoiPool =
    "ps_roi_pool(Tensor input, Tensor rois, float spatial_scale, SymInt pooled_height, SymInt pooled_width) -> "
    "(Tensor, Tensor)";
constexpr const char* kPsRoiPoolBackward =
    "_ps_roi_pool_backward(Tensor grad, Tensor rois, Tensor channel_mapping, float spatial_scale, SymInt "
    "pooled_height, SymInt pooled_width, SymInt batch_size, SymInt channels, SymInt height, SymInt width) -> Tensor";
constexpr const char* kDeformConv2d =
    "deform_conv2d(Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt stride_h, SymInt "
    "stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, SymInt offset_groups, "
    "bool use_mask) -> Tensor";
constexpr const char* kDeformConv2dBackward =
    "_deform_conv2d_backward(Tensor grad, Tensor input, Tensor weight, Tensor offset, Tensor mask, Tensor bias, SymInt "
    "stride_h, SymInt stride_w, SymInt pad_h, SymInt pad_w, SymInt dilation_h, SymInt dilation_w, SymInt groups, "
    "SymInt offset_groups, bool use_mask) -> (Tensor, Tensor, Tensor, Tensor, Tensor)";

}  // namespace pt2
