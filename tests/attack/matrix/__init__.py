"""Every operator, every builtin and every method on values of every type that scripts use, compiled and plain."""
