"""A review's questions about numbers, answered from the tables and sentences of one paper, without a model."""
