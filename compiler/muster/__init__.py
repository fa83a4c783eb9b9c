"""Compile what a GPU site must prove into Kubernetes manifests, and judge archived evidence against it."""

__version__ = "0.1.0"
