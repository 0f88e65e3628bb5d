"""The rest of a half-run function as Python: syntax trees in, syntax trees out. No tensors, no values."""
