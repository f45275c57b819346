"""Amounts and dates as people write them: what a text says in figures or words, and which of it is a price in euro."""
