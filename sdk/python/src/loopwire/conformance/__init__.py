"""The conformance kit: checks by which any server of the wire is judged, with recorded sessions and the schemas.

`python -m loopwire.conformance URL` runs them.
"""
