# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

"""Writes the result of every task on every host to the file that
UNCHOKE_TEST_RESULTS names, one JSON document a line, for the test to read."""

from __future__ import annotations

import json
import os

from ansible.plugins.callback import CallbackBase

DOCUMENTATION = """
name: results
type: notification
short_description: results for a test
description: Writes the result of every task on every host to a file.
"""


class CallbackModule(CallbackBase):
    CALLBACK_VERSION = 2.0
    CALLBACK_TYPE = 'notification'
    CALLBACK_NAME = 'results'
    CALLBACK_NEEDS_ENABLED = True

    def _write(self, **members):
        with open(os.environ['UNCHOKE_TEST_RESULTS'], 'a') as out:
            out.write(json.dumps(members, default=str) + '\n')

    def _result(self, result):
        self._write(host=result.host.name, task=result.task.get_name().split(' : ')[-1], result=result.result)

    def v2_runner_on_ok(self, result):
        self._result(result)

    def v2_runner_on_failed(self, result, ignore_errors=False):
        self._result(result)

    def v2_runner_on_unreachable(self, result):
        self._result(result)

    def v2_playbook_on_stats(self, stats):
        self._write(stats={host: stats.summarize(host) for host in stats.processed})
