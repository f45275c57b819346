"""The scripts and sheets of the page as a browser gets them: put together, shortened, below the hash of all of them."""
