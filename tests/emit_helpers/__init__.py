"""Helpers for the tests of what is emitted."""
