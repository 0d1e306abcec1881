"""Measurements that a person starts by hand; nothing in the package imports them."""
