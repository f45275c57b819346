"""The program that shortens scripts and sheets: it reads their texts as JSON, by their paths, and writes them shorter.

It is a process of its own (`server.html.files.short_files` starts it), since the library is written in Go: its runtime
would stay in the memory of the server, and take its signals. Comments that begin with `/*!`, of licences, are kept.
"""

import json
import sys

import minify

TYPES = {"js": "application/javascript", "css": "text/css"}

if __name__ == "__main__":
    texts = json.load(sys.stdin)
    shorter = {path: minify.string(TYPES[path.rpartition(".")[2]], text) for path, text in texts.items()}
    json.dump(shorter, sys.stdout)
