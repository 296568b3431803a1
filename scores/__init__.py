"""How well the workbench reads real papers whose answers are known: one module for each board of a folder."""
