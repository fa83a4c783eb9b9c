"""Evidence, archived once and for ever: take files in, bind them to tests, keep them, read them back, check them.

`ingest` writes records, `query` reads them, `verify` checks them; `open` turns an address into a store.
"""
