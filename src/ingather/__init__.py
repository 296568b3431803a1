"""Durable batch tasks on PostgreSQL."""
