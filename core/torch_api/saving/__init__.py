"""Files of tensors: PyTorch's zip format and safetensors, read without running anything that a file names."""
