"""Sites in, files and findings out: the compiler as one function, and finding its inputs."""
