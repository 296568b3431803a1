"""The benchmark: Ingather, the limit of its own SQL, and its peers, side by side on one server.

python3 dev.py bench                  us, the limit, the peers that install quickly; writes docs/benchmarks.md
python3 dev.py bench --all            all peers
python3 dev.py bench --quick --json   us and the limit, within a minute, as JSON

Every system is driven the same way (see `systems`): a process that bulk-inserts, processes that work, a process that
submits single jobs. What they do is counted by their handlers on a `stage`, a folder they share with the conductor.
"""
