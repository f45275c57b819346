"""Words of a text beside other words: labels, sizes, misspelt words, near examples, markup."""
