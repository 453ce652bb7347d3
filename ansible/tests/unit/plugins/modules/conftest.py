# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import json

import pytest


class Ended(Exception):
    """What ends a module, with its result."""

    def __init__(self, result):
        super().__init__(str(result))
        self.result = result


class Module:
    """An AnsibleModule that runs nothing: it answers commands from a list."""

    def __init__(self, params, answers, check_mode=False):
        self.params, self.answers, self.check_mode = params, dict(answers), check_mode
        self.ran, self.warnings = [], []

    def get_bin_path(self, name, required=False):
        return '/usr/bin/' + name if name != 'nowhere' else None

    def run_command(self, command, environ_update=None):
        assert isinstance(command, list), 'a command is a list, never a string for a shell'
        assert all(isinstance(word, str) for word in command)
        self.ran.append(command)
        for verb, answer in self.answers.items():
            if command[1:1 + len(verb.split())] == verb.split():
                status, out, err = answer
                return status, out if isinstance(out, str) else json.dumps(out), err
        raise AssertionError('nobody expected %r' % command)

    def warn(self, message):
        self.warnings.append(message)

    def fail_json(self, **result):
        raise Ended(dict(result, failed=True))


@pytest.fixture
def module():
    return Module


@pytest.fixture
def failed():
    """Run something that fails the module, and return its result."""
    def result(run):
        with pytest.raises(Ended) as ended:
            run()
        return ended.value.result
    return result
