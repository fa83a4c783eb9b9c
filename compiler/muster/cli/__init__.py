"""The command line: the only place that reads the clock, the environment and the working directory."""
