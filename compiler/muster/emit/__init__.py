"""Write what a compile gives: YAML that every reader reads alike, files by ownership, the tree in one exchange."""
