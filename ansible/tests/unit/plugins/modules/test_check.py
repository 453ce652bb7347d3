# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from ansible_collections.unchoke.net.plugins.module_utils import program
from ansible_collections.unchoke.net.plugins.modules import check

DEFAULTS = dict(executable='unchoke', target='far', quick=False, budget=None, cc=None, family='any', since=None,
                wait=10, predict=True, save=True, token_file=None, max_bytes=None)


def test_arguments():
    assert check.arguments(DEFAULTS) == ['--wait', '10s', '--', 'far']
    every = dict(DEFAULTS, target='--help', quick=True, budget=5, cc='bbr', family='ipv6', since='last', wait=1,
                 predict=False, save=False, token_file='/t', max_bytes='1MiB')
    assert check.arguments(every) == [
        '--wait', '1s', '--quick', '--budget', '5s', '--cc', 'bbr', '--since', 'last', '--ipv6', '--no-predict',
        '--no-save', '--token-file', '/t', '--max-bytes', '1MiB', '--', '--help',
    ]


def test_a_check_that_failed_midway_has_its_document(module, failed):
    report = dict(schema=check.REPORT, target='far', findings=[])
    m = module(DEFAULTS, {'check': (1, report, 'unchoke: check far: lost\nhint: again\n')})
    result = failed(lambda: program.Program(m).ask(['check'], check.arguments(m.params), check.REPORT))
    assert result['document'] == report and result['msg'] == 'check far: lost; hint: again'
    assert not result['refused'] and not result['reverted']
