# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

from ansible_collections.unchoke.net.plugins.modules import facts

VERSION = dict(schema=facts.VERSION, version='v1.0.0', go='go1.26', platform='linux/amd64', session='unchoke.session/1')
ANSWERS = {
    'version': (0, VERSION, ''),
    'record list': (0, dict(schema=facts.RECORDS, records=None), ''),
    'tune status': (0, dict(schema=facts.STATUS, phase='kept'), ''),
    'tune verify': (4, dict(schema=facts.VERIFICATION, wrong=['undone']), ''),
}


def test_without_the_program(module):
    assert facts.gather(module(dict(executable='nowhere', journal=None), {})) == dict(installed=False)


def test_all(module):
    m = module(dict(executable='unchoke', journal='/j'), ANSWERS)
    got = facts.gather(m)
    assert got['installed'] and got['version'] == 'v1.0.0' and got['slim'] is False and got['records'] == []
    assert got['status']['phase'] == 'kept' and got['verification']['wrong'] == ['undone']
    assert ['/usr/bin/unchoke', 'tune', 'status', '--json', '--state', '/j'] in m.ran


def test_the_slim_build_has_no_tune(module):
    m = module(dict(executable='unchoke', journal=None), dict(ANSWERS, version=(0, dict(VERSION, slim=True), '')))
    assert 'status' not in facts.gather(m)
    assert not any('tune' in command for command in m.ran)
