"""The options of a question: the words, numbers, examples and sides by which a text means one of them."""
