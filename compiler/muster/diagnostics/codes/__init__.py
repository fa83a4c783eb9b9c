"""One module of codes per layer.

Site 1xx, policy 2xx (rules 3xx are CUE files), plan 4xx, render 5xx, emit 6xx, readers 7xx, archive 8xx,
judge and reconcile 9xx.
"""
