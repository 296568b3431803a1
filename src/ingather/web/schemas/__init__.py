"""The wire: what requests carry and what answers hold, in snake_case. A class that shows a noun ends in View here.

The description for clients leaves that ending out (see `openapi.py`).
"""
