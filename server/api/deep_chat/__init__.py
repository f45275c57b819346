"""Deep Chat's endpoints: POST /chat and the socket at /chat, whose messages become runs like any others."""
