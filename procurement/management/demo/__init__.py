"""The demo: one module a part of the product, its records beside it in `data/`."""
