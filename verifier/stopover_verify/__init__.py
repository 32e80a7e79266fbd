"""stopover-verify: checks releases of stopover, by its published format alone. See command.py; one noun a file."""
