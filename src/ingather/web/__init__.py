"""The web: routes, wire shapes, accounts and the edge. It parses, calls one function, and shapes the answer."""
