"""Calls of operators whose results may share memory with their arguments, and what was seen of them."""
