"""`python -m loopwire`: the same as the command `loopwire`."""

import sys

from loopwire.cli import main

sys.exit(main())
