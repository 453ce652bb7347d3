# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

"""The program unchoke on the managed host: it is run with a list of arguments,
never through a shell, and answers with one JSON document.
"""

from __future__ import annotations

import json

# What every module takes that runs the program.
ARGUMENTS = dict(executable=dict(type='str', default='unchoke'))

# Exit statuses of unchoke, as docs/tune.md lists them.
DONE, FAILED, USAGE, PENDING, NOT_IN_FORCE, REVERTED, REFUSED = 0, 1, 2, 3, 4, 5, 6

# What a failure with a status means for the host.
_LEFT = {
    REVERTED: 'every change is taken back',
    REFUSED: 'nothing is changed',
}

# The most that a document may be: one of a host with a thousand routes is under
# a megabyte.
MOST_BYTES = 32 << 20

_OWN = 'unchoke: '
_WARNING = 'unchoke: warning: '


class Program(object):
    """The program, for one module's run."""

    def __init__(self, module):
        self.module = module
        self.path = module.get_bin_path(module.params['executable'], required=True)

    def ask(self, verb, arguments, schema, answers=(DONE,)):
        """Run a verb and return its exit status and its document, which has to be of
        that schema. Any other exit status than the answers fails the module."""
        command = [self.path] + verb + ['--json'] + arguments
        status, out, err = self.module.run_command(command, environ_update=dict(LC_ALL='C.UTF-8'))
        for line in err.splitlines():
            if line.startswith(_WARNING):
                self.module.warn(line[len(_WARNING):])
        if status not in answers:
            self._fail(command, schema, status, out, err)
        try:
            return status, read(out, schema)
        except ValueError as problem:
            self.module.fail_json(msg='%s: %s' % (' '.join([self.path] + verb), problem), cmd=command, rc=status, stderr=err)

    def _fail(self, command, schema, status, out, err):
        """Fail the module with what the program said, and with its document if it
        printed one."""
        message = complaint(err) or '%s ended with exit status %d' % (' '.join(command[:3]), status)
        if status in _LEFT and _LEFT[status] not in message:
            message += ' (%s)' % _LEFT[status]
        seen = {}
        try:
            seen['document'] = read(out, schema)
        except ValueError:
            pass  # most failures print none
        self.module.fail_json(
            msg=message, cmd=command, rc=status, stderr=err,
            refused=status == REFUSED, reverted=status == REVERTED, **seen
        )


def read(out, schema):
    """The document in what the program printed. ValueError says what is wrong."""
    if len(out) > MOST_BYTES:
        raise ValueError('its answer is longer than %d bytes' % MOST_BYTES)
    try:
        document = json.loads(out)
    except ValueError as problem:
        raise ValueError('its answer is no JSON document: %s' % problem)
    found = document.get('schema') if isinstance(document, dict) else None
    if found != schema:
        raise ValueError('its answer has the schema %r, and this collection reads %r' % (found, schema))
    return document


def complaint(err):
    """The error in the standard error of the program, with its hint, for a person
    to read: warnings and what was printed before it left out."""
    said = []
    for line in err.splitlines():
        if line.startswith(_WARNING):
            continue
        if line.startswith(_OWN):
            said = [line[len(_OWN):]]
        elif said and line.strip():
            said.append(line.strip())
    return '; '.join(said)
