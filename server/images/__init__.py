"""Pictures of requests: read by their content, made small and plain, or fetched from a public address."""

from server.images.fetch import fetch_image
from server.images.picture import Picture, read_image
from server.images.source import images_of

__all__ = ["Picture", "fetch_image", "images_of", "read_image"]
