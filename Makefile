# The commands of dev.py under their own names; arguments go in ARGS: make test ARGS="-k sweep"
COMMANDS = setup run test check chaos bench schema

.PHONY: help $(COMMANDS)

help:
	@python3 dev.py --help

$(COMMANDS):
	@python3 dev.py $@ $(ARGS)
