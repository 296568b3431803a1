# The commands of dev.py under their own names; arguments go in ARGS: make test ARGS="-k sweep"
COMMANDS = setup run tour test check chaos bench fuzz scores shots schema

.PHONY: help $(COMMANDS)

help:
	@python3 dev.py --help

$(COMMANDS):
	@python3 dev.py $@ $(ARGS)
