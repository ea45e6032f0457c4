/** The models of all comparisons, by the names of their files. */
export const MODELS = [
  "resnet18",
  "resnet50",
  "mobilenet_v3_large",
  "efficientnet_b0",
  "convnext_tiny",
  "vit_b_16",
  "swin_t",
  "bert_base",
  "gpt2",
] as const;

/** Networks of timm that are hard on a runtime, each in another way: see export_bench.py. */
export const TIMM_MODELS = [
  "mobilenetv4_conv_small",
  "ghostnet_100",
  "mnasnet_100",
  "efficientvit_b0",
  "mixnet_s",
  "densenet121",
  "ese_vovnet19b_dw",
  "res2net50_26w_4s",
  "hrnet_w18_small_v2",
  "mambaout_femto",
  "focalnet_tiny_srf",
  "regnety_008",
  "deit_tiny_patch16_224",
  "poolformer_s12",
  "xcit_nano_12_p16_224",
] as const;
