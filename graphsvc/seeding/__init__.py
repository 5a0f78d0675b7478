"""Seed data: the generator of large graphs and the manifest of seeds/. A running service uses none of it."""
