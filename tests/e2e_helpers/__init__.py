"""Helpers of the tests against real parts."""
