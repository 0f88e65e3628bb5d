"""Sizes and numbers as expressions: symbols, what is known about them, and decisions that become guards."""
