"""Tables become rows of floats, by an encoder that is fitted on the reference alone."""

from karat.schema.encode import Encoded, Encoder, Field
from karat.schema.layout import Block, Layout
from karat.schema.ledger import Finding

__all__ = ["Block", "Encoded", "Encoder", "Field", "Finding", "Layout"]
