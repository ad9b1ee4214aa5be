"""Dowse: a focused web crawler."""
