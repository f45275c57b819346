"""Parts of a typed text: a yes and what follows it, sizes, misspelt words, near examples, markup."""
