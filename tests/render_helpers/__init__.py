"""Helpers of the tests of rendering: a plan made by hand, and pods that run on this machine."""
