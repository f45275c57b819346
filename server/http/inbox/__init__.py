"""The inbox: the pages where operators sign in, read the conversations of their apps and answer in them."""
