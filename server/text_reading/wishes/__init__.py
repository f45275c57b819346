"""What a message does beside answering: it agrees, asks, corrects, takes back or wishes something."""
