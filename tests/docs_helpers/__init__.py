"""Read, run and write the pages of the user guide."""
