"""One SQL database, SQLite or PostgreSQL: connections, transactions, the write lock and outages."""
