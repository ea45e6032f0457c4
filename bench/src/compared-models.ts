/** The models of the comparisons, by the names of their files. */
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
