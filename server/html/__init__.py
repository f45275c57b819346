"""This package draws events, blocks, Markdown and pages as HTML, through one typed builder."""
