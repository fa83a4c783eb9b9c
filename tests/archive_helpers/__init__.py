"""What the tests of the archive share."""
