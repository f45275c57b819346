"""Both of OpenAI's streaming dialects read without an object per token, with the SDK's own way as fallback."""
