"""How results look; nothing here computes."""
