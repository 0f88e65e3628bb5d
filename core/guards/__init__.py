"""Guards: the conditions under which an artifact may be reused, compiled to one function and explained in sentences."""
