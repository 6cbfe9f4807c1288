# What python-warcio's checker says of files: exit 0 if each record's digests hold. It takes a
# payload's digest over the chunks as they came (its issue 74), the standard over the entity.
import sys

from warcio.checker import Checker


class Cmd:
    inputs = sys.argv[1:]
    verbose = False


checker = Checker(Cmd)
checker.process_all()
sys.exit(checker.exit_value)
