"""The parts that services which answer requests share: fields, agents, prices and lists of references."""
