"""Reviewing: what people decide about findings, and what stands afterwards."""
