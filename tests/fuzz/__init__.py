"""Programs that damage inputs at random, run on demand."""
